import type { Command, Option } from 'commander';
import { allowedValues } from '../../settings/setting.js';
import { allSettings } from '../../server/config/server-settings.js';

export interface CompletedFlag {
  /** Includes the dashes. */
  readonly name: string;
  readonly short: string | undefined;
  readonly takesValue: boolean;
  /** Empty if any value is allowed; file names are then completed. */
  readonly values: readonly string[];
}

export interface CompletedCommand {
  /** The full command path, separated by spaces; '' for the program, which takes the flags of `serve` too. */
  readonly path: string;
  readonly commands: readonly string[];
  readonly flags: readonly CompletedFlag[];
}

/** Collects everything that can be completed. */
export function completionWords(program: Command): CompletedCommand[] {
  const all: CompletedCommand[] = [];
  const visit = (command: Command, path: string): void => {
    all.push({ path, commands: command.commands.map((child) => child.name()), flags: flagsOf(path === '' ? serveOf(command) : command) });
    for (const child of command.commands) visit(child, `${path} ${child.name()}`.trim());
  };
  visit(program, '');
  return all;
}

/** The default command. */
function serveOf(program: Command): Command {
  return program.commands.find((command) => command.name() === 'serve') ?? program;
}

function flagsOf(command: Command): CompletedFlag[] {
  const flags = command.options.flatMap((option) => (option.long ? [flagOf(option, option.long)] : []));
  return [...flags, { name: '--help', short: '-h', takesValue: false, values: [] }];
}

function flagOf({ short, required, optional, argChoices }: Option, name: string): CompletedFlag {
  const setting = allSettings().find((candidate) => `--${candidate.name}` === name);
  return { name, short, takesValue: required || optional, values: argChoices ?? (setting ? allowedValues(setting) : []) };
}
