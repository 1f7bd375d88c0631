import { Command } from 'commander';
import type { LoadHttpApplication } from '../server/lifecycle/http-application.js';
import { StartError } from '../server/start-error.js';
import { serveCommand } from './serve.command.js';

/** The command line; without a command's name it serves. */
function createProgram(loadApplication: LoadHttpApplication): Command {
  const program = new Command('coordination-apiserver')
    .description('Serves the Kubernetes coordination API (Lease) from PostgreSQL.')
    .showSuggestionAfterError(false);
  const serve = serveCommand(loadApplication);
  serve.copyInheritedSettings(program);
  return program.addCommand(serve, { isDefault: true }).addHelpText('after', () => `\n${serve.helpInformation()}`);
}

/** Runs the program. What its user can mend ends it with one line on stderr and exit code 1; anything else is a defect and shows its stack. */
export async function runProgram(argv: readonly string[], loadApplication: LoadHttpApplication): Promise<void> {
  try {
    await createProgram(loadApplication).parseAsync(argv);
  } catch (error) {
    process.stderr.write(`error: ${describe(error)}\n`);
    process.exit(1);
  }
}

function describe(error: unknown): string {
  if (error instanceof StartError) return error.message.replaceAll('\n', ' ');
  if (!(error instanceof Error)) return String(error);
  // The operating system refused something: its message names what, and the stack would add nothing.
  return 'syscall' in error ? error.message : (error.stack ?? error.message);
}
