// The program as `npm run build` bundles it.
import { runProgram } from '../../../../dist/lock/lease-lock-program.js';

process.exit(await runProgram(process.argv.slice(2)));
