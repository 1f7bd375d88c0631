#!/usr/bin/env node
import { EXIT_FAILED } from './cli/output/command-error.js';
import { isLockCommand, runLockProgram } from './cli/lock/lock-program.js';
import { nodeTooOld } from './cli/node-version.js';
import { WORKER } from './server/workers/worker-messages.js';
import { useCompileCache } from './settings/compile-cache.js';
import { nameSources } from './settings/source-positions.js';

const problem = nodeTooOld();
if (problem !== undefined) {
  process.stderr.write(`error: ${problem}\n`);
  process.exit(EXIT_FAILED);
}
useCompileCache();
nameSources();
void run(process.argv);

// What a command needs is loaded only now: on an older Node.js it fails to load, with a stack in place of the line above.
async function run(argv: string[]): Promise<void> {
  const [, , word, next] = argv;
  if (word === WORKER) {
    const { runWorker } = await import('./server/workers/worker.js');
    return runWorker(() => import('./app.module.js'));
  }
  if (isLockCommand(word)) process.exit(await runLockProgram(argv.slice(2)));
  if (word === 'help' && isLockCommand(next)) process.exit(await runLockProgram([next, '--help']));
  const { runProgram } = await import('./cli/program.js');
  await runProgram(
    argv,
    () => import('./app.module.js'),
    () => import('./testing/run-test-server.js'),
  );
}
