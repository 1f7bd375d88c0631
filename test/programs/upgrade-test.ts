import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { postgresUnderTest } from '../support/postgres-under-test.js';
import { startPgBouncer } from '../support/pgbouncer.js';
import { buildVersion, findCommit } from '../upgrade/build-version.js';
import { fillLog } from '../upgrade/fill-log.js';
import { GRANTEE, migrate, runUpgrade } from '../upgrade/run-upgrade.js';

/**
 * `npm run upgrade-test -- --from=COMMIT`: upgrades two servers of that commit to this version, under load, and goes back. Fails if a write is
 * lost, missed by a watch, done twice, refused, or waits for longer than 500 ms, or if terms are wrong after a minute. Tells how long each
 * migration took.
 */
const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    kills: { type: 'string', default: '6' },
    /** Servers and the role with a grant reach the database through PgBouncer, in transaction mode. */
    pgbouncer: { type: 'boolean', default: false },
    /** Held leases that are there before, without terms, and the rows of the log of each. */
    leases: { type: 'string', default: '0' },
    changes: { type: 'string', default: '10' },
  },
});

const commit = findCommit(values.from ?? 'HEAD~1');
if (commit === undefined) {
  console.error(`error: this clone has no commit ${values.from}`);
  process.exit(2);
}
const dir = mkdtempSync(path.join(tmpdir(), 'upgrade-test-'));
const postgres = postgresUnderTest({ dir });
let stopBouncer: (() => Promise<void>) | undefined;
try {
  const old = buildVersion(commit);
  await postgres.start();
  const databaseUrl = postgres.url();
  const bouncer = values.pgbouncer ? await startPgBouncer(databaseUrl, 'transaction', { roles: [GRANTEE] }) : undefined;
  if (bouncer) stopBouncer = () => bouncer.stop();
  if (Number(values.leases) > 0) {
    await migrate(databaseUrl, old.program, 'up');
    await fillLog(databaseUrl, Number(values.leases), Number(values.changes));
  }
  const result = await runUpgrade(old, {
    databaseUrl,
    serversUrl: bouncer?.url(databaseUrl),
    clientsUrl: bouncer?.url(databaseUrl),
    periodMs: 250,
    phaseMs: Number(values.seconds) * 1000,
    kills: Number(values.kills),
    say: (text) => console.log(`${new Date().toISOString()} ${text}`),
  });
  console.log(JSON.stringify({ from: commit.slice(0, 8), ...result, problems: result.problems.slice(0, 20) }, null, 2));
  const longest = Math.max(result.longestMs, result.longestSqlMs, result.longestFencedMs);
  if (result.problems.length > 0 || longest >= 500 || result.termsAfterS > 60) process.exitCode = 1;
} finally {
  await stopBouncer?.();
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
}
