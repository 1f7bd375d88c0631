import { Command, Option } from 'commander';
import { loadConfig } from '../server/config/load-config.js';
import { ServerConfig } from '../server/config/server-config.js';
import { allSettings } from '../server/config/setting.js';
import type { SettingDescription } from '../server/config/setting.js';
import type { LoadHttpApplication } from '../server/lifecycle/http-application.js';
import { serve } from '../server/lifecycle/serve.js';

/** `serve`: a flag per setting, and `--config` for the file. */
export function serveCommand(loadApplication: LoadHttpApplication): Command {
  const command = new Command('serve').description('Serves until it is told to stop (the default command).');
  command.option('--config <file>', 'A YAML file whose keys are the names of these flags.');
  for (const setting of allSettings()) command.addOption(flagOf(setting));
  return command.action(async (_options, self: Command) => {
    const file = self.getOptionValue('config') as string | undefined;
    await serve(loadConfig({ flags: givenFlags(self), environment: process.env, file }), loadApplication);
  });
}

/** As with Go's flags, a boolean one without a value means true. */
function flagOf(setting: SettingDescription): Option {
  const value = setting.placeholder ?? setting.kind;
  const flag = setting.kind === 'boolean' ? `--${setting.name} [${value}]` : `--${setting.name} <${value}>`;
  const option = new Option(flag, `${setting.help}${defaultOf(setting)}`);
  return setting.kind === 'boolean' ? option.preset('true') : option;
}

function givenFlags(command: Command): Record<string, string> {
  const given: Record<string, string> = {};
  for (const setting of allSettings()) {
    const value: unknown = command.getOptionValue(setting.property);
    if (typeof value === 'string') given[setting.name] = value;
  }
  return given;
}

const DEFAULTS = Object.entries(new ServerConfig());

function defaultOf(setting: SettingDescription): string {
  const value: unknown = DEFAULTS.find(([property]) => property === setting.property)?.[1];
  if (value === '' || (Array.isArray(value) && value.length === 0)) return '';
  return ` [${setting.kind === 'duration' ? formatGoDuration(Number(value)) : String(value)}]`;
}

/** As Go prints durations: `1h0m0s`, `5m0s`, `0s`. */
function formatGoDuration(ms: number): string {
  const seconds = ms / 1000;
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes % 60}m` : ''}${seconds % 60}s`;
}
