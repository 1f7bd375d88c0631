import { formatGoDuration } from '../apimachinery/go/go-duration.js';
import { type Command, Option } from 'commander';
import { loadConfig } from '../server/config/load-config.js';
import { compareText } from '../apimachinery/go/go-string.js';
import { type ServerSettings, allSettings, defaultSettings } from '../server/config/server-settings.js';
import { type SettingDescription, SETTING_GROUPS } from '../settings/setting.js';

export const CONFIG_HELP = 'YAML file with settings, keyed by flag name.';

/** Adds the named settings, or all, as flags of a command, and `--config` for the file. Its help does not list those that are `unlisted`. */
export function addSettingOptions(command: Command, names?: readonly string[], unlisted: readonly string[] = []): void {
  command.option('--config <file>', CONFIG_HELP);
  for (const setting of BY_GROUP) {
    if (names === undefined) command.addOption(optionOf(setting).helpGroup(`${setting.group}:`));
    else if (names.includes(setting.name)) command.addOption(optionOf(setting));
    else if (unlisted.includes(setting.name)) command.addOption(optionOf(setting).hideHelp());
  }
}

/** All settings, by group and name. Every command that has settings asks for them, so they are sorted once. */
const BY_GROUP = allSettings().toSorted(
  (one, other) => SETTING_GROUPS.indexOf(one.group) - SETTING_GROUPS.indexOf(other.group) || compareText(one.name, other.name),
);

/** Loads the server's configuration from a command's flags, the environment and the file. */
export function configOf(command: Command, environment: NodeJS.ProcessEnv = process.env): ServerSettings {
  const flags: Record<string, string> = {};
  for (const { name, property } of allSettings()) {
    const value: unknown = command.getOptionValue(property);
    if (typeof value === 'string') flags[name] = value;
  }
  return loadConfig({ flags, environment, file: command.getOptionValue('config') as string | undefined });
}

/** As in Go, a boolean flag without a value means true. */
function optionOf(setting: SettingDescription): Option {
  const flag = setting.kind === 'boolean' ? `--${setting.name} [${setting.placeholder}]` : `--${setting.name} <${setting.placeholder}>`;
  const fallback = defaultOf(setting);
  const option = new Option(flag, fallback === '' ? setting.help : `${setting.help} (default: ${fallback})`);
  return setting.kind === 'boolean' ? option.preset('true') : option;
}

const DEFAULTS = new Map<string, unknown>(Object.entries(defaultSettings()));

/** A setting's default in the user's notation; '' for none. */
export function defaultOf(setting: SettingDescription): string {
  const value = DEFAULTS.get(setting.property);
  if (value === '' || (Array.isArray(value) && value.length === 0)) return '';
  return setting.kind === 'duration' ? formatDuration(Number(value)) : String(value);
}

const DAY_MS = 86_400_000;

/** Formats a duration as Go does, but whole days as `90d`. */
function formatDuration(ms: number): string {
  return ms >= 2 * DAY_MS && ms % DAY_MS === 0 ? `${ms / DAY_MS}d` : formatGoDuration(ms);
}
