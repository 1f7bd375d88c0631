// `npm run sync`: writes openapi/, the generated pages of docs/ and of the chart, and migrations/schema.sql; with --check, reports what is out of date.
import { spawnSync } from 'node:child_process';

const SCRIPTS = ['scripts/openapi.mjs', 'scripts/reference.mjs', 'test/schema/schema.ts'];
const run = (script) => {
  const args = ['--import', './test/support/register-typescript.mjs', script, ...process.argv.slice(2)];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status;
};

// all of them, so that one run tells of everything that is out of date
const failed = SCRIPTS.map(run).some((status) => status !== 0);
process.exit(failed ? 1 : 0);
