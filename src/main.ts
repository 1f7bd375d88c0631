#!/usr/bin/env node
import { EXIT_FAILED } from './cli/output/command-error.js';
import { isLockCommand, runLockProgram } from './cli/lock/lock-program.js';
import { nodeTooOld } from './cli/node-version.js';

const problem = nodeTooOld();
if (problem !== undefined) {
  process.stderr.write(`error: ${problem}\n`);
  process.exit(EXIT_FAILED);
}
const [, , word, next] = process.argv;
if (isLockCommand(word)) process.exit(await runLockProgram(process.argv.slice(2)));
if (word === 'help' && isLockCommand(next)) process.exit(await runLockProgram([next, '--help']));
// Loaded only now: on an older Node.js these modules fail to load, with a stack in place of the line above.
const { runProgram } = await import('./cli/program.js');
await runProgram(
  process.argv,
  () => import('./app.module.js'),
  () => import('./testing/run-test-server.js'),
);
