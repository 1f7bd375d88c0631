// `npm run sync`: writes openapi/, the generated pages of docs/ and of the chart, and migrations/schema.sql; with --check, reports what is out of date.
import { spawnSync } from 'node:child_process';

const SCRIPTS = [
  ['scripts/openapi.mjs'],
  ['scripts/reference.mjs'],
  ['--import', './test/support/register-typescript.mjs', 'test/schema/schema.ts'],
];
const run = (program, args) => spawnSync(program, args, { stdio: 'inherit' }).status;

if (run('npm', ['run', '--silent', 'build']) !== 0) process.exit(1);
// all of them, so that one run tells of everything that is out of date
const failed = SCRIPTS.map((script) => run(process.execPath, [...script, ...process.argv.slice(2)])).some((status) => status !== 0);
process.exit(failed ? 1 : 0);
