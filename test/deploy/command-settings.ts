import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.js';
import { loadConfig } from '../../src/server/config/load-config.js';
import type { ServerSettings } from '../../src/server/config/server-settings.js';

const unserved = (): Promise<never> => Promise.reject(new Error('nothing is served here'));

export interface CommandSources {
  /** The arguments after the program's name. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The path of the file that replaces --config here. */
  readonly file?: string;
}

/** The settings resulting from a command line. Throws for a command, flag, variable or key unknown to this version. */
export function commandSettings({ args, environment, file }: CommandSources): ServerSettings {
  const flags = args.filter((arg) => arg.startsWith('--'));
  const words = args.filter((arg) => !arg.startsWith('--'));
  let command: Command = createProgram(unserved, unserved);
  for (const word of words) {
    const found = command.commands.find((candidate) => candidate.name() === word);
    if (found === undefined) throw new Error(`there is no command ${words.join(' ')}`);
    command = found;
  }
  const given: Record<string, string> = {};
  for (const flag of flags) {
    const [name = '', ...value] = flag.split('=');
    if (!command.options.some((option) => option.long === name)) throw new Error(`${words.join(' ')} has no flag ${name}`);
    given[name.slice(2)] = value.join('=');
  }
  if ('config' in given !== (file !== undefined)) throw new Error('--config and a file go together');
  return loadConfig({ flags: given, environment, file });
}

/** The files named by the settings. */
export function filesOf(config: ServerSettings): string[] {
  return Object.entries(config).flatMap(([name, value]) => (name.endsWith('File') && typeof value === 'string' && value ? [value] : []));
}
