import { Command, Option } from 'commander';
import { ELECT_FLAGS, LOCK_FLAGS } from './lock/lock-flags.js';
import { runLockProgram } from './lock/lock-program.js';

const EXAMPLES_OF_LOCK = `
Examples:
  coordination-apiserver lock nightly-report --fail-fast -- ./report.sh
  coordination-apiserver lock builds --slots=3 --wait=10m -- make
  coordination-apiserver lock --help`;

const EXAMPLES_OF_ELECT = `
Examples:
  coordination-apiserver elect scheduler -- ./scheduler
  coordination-apiserver elect --help`;

/** `lock`: packages/lease-lock's program, whose options its own help shows. */
export function lockCommand(): Command {
  return command(
    'lock',
    'Runs a command while holding a lock, or one of the slots of a semaphore; docs/locks.md has its options and exit codes.',
    EXAMPLES_OF_LOCK,
    LOCK_FLAGS,
  );
}

/** `elect`, of the same program. */
export function electCommand(): Command {
  return command(
    'elect',
    'Runs a command whenever this process leads, again and again; docs/locks.md has its options and exit codes.',
    EXAMPLES_OF_ELECT,
    ELECT_FLAGS,
  );
}

/** Tells commander what to complete; main.ts runs the command without it. */
function command(name: string, description: string, examples: string, flags: readonly string[]): Command {
  const made = new Command(name)
    .description(description)
    .usage('NAME [options] -- command args...')
    .argument('[args...]')
    .allowUnknownOption()
    .helpOption(false)
    .addHelpText('after', examples)
    .action(async (args: string[]) => process.exit(await runLockProgram([name, ...args])));
  for (const flag of flags) made.addOption(new Option(flag).hideHelp());
  return made;
}
