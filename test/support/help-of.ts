import { createProgram } from '../../src/cli/program.js';

const unserved = (): Promise<never> => Promise.reject(new Error('nothing is served here'));

/** What `coordination-apiserver COMMAND --help` prints, without starting the program. */
export function helpOf(command: string): string {
  let found = createProgram(unserved, unserved);
  for (const name of command.split(' ').filter(Boolean)) {
    const next = found.commands.find((each) => each.name() === name);
    if (!next) throw new Error(`no command ${name}`);
    found = next;
  }
  let text = '';
  found.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80, getOutHasColors: () => false }).outputHelp();
  return text;
}
