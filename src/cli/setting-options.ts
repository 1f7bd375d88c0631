import type { Command } from 'commander';
import { Option } from 'commander';
import { loadConfig } from '../server/config/load-config.js';
import { ServerConfig } from '../server/config/server-config.js';
import { allSettings } from '../server/config/setting.js';
import type { SettingDescription } from '../server/config/setting.js';
import { headingOf, SETTING_HEADINGS } from './setting-groups.js';

/** Makes settings of the server flags of a command: those with the given names, or all; and `--config` for the file. */
export function addSettingOptions(command: Command, names?: readonly string[]): void {
  command.option('--config <file>', 'A YAML file whose keys are the names of the settings.');
  for (const setting of [...allSettings()].sort(byHeadingAndName)) {
    if (names === undefined) command.addOption(optionOf(setting).helpGroup(headingOf(setting.name)));
    else if (names.includes(setting.name)) command.addOption(optionOf(setting));
  }
}

function byHeadingAndName({ name: one }: SettingDescription, { name: other }: SettingDescription): number {
  const place = (name: string) => SETTING_HEADINGS.indexOf(headingOf(name));
  return place(one) - place(other) || one.localeCompare(other);
}

/** The server's configuration as a command's flags, the environment and the file give it. */
export function configOf(command: Command): ServerConfig {
  const flags: Record<string, string> = {};
  for (const { name, property } of allSettings()) {
    const value: unknown = command.getOptionValue(property);
    if (typeof value === 'string') flags[name] = value;
  }
  return loadConfig({ flags, environment: process.env, file: command.getOptionValue('config') as string | undefined });
}

/** As with Go's flags, a boolean one without a value means true. */
function optionOf(setting: SettingDescription): Option {
  const value = setting.placeholder ?? setting.kind;
  const flag = setting.kind === 'boolean' ? `--${setting.name} [${value}]` : `--${setting.name} <${value}>`;
  const fallback = defaultOf(setting);
  const option = new Option(flag, fallback === '' ? setting.help : `${setting.help} (default ${fallback})`);
  return setting.kind === 'boolean' ? option.preset('true') : option;
}

const DEFAULTS = Object.entries(new ServerConfig());

/** A setting's default as a user would write it; '' for none. */
export function defaultOf(setting: SettingDescription): string {
  const value: unknown = DEFAULTS.find(([property]) => property === setting.property)?.[1];
  if (value === '' || (Array.isArray(value) && value.length === 0)) return '';
  return setting.kind === 'duration' ? formatGoDuration(Number(value)) : String(value);
}

/** As Go prints durations: `1h0m0s`, `5m0s`, `0s`. */
function formatGoDuration(ms: number): string {
  const seconds = ms / 1000;
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes % 60}m` : ''}${seconds % 60}s`;
}
