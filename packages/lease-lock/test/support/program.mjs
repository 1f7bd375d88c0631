// The package's program, from its sources.
import '../../../../test/support/register-typescript.mjs';

const { runProgram } = await import('../../src/cli/run-program.js');
process.exit(await runProgram(process.argv.slice(2)));
