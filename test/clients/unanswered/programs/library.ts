// library.ts LEASE --kubeconfig=FILE|--database-url=URL: the library of packages/lease-lock, as its README uses it.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { databaseLeases } from '../../../../packages/lease-lock/src/database-leases.js';
import { withLock } from '../../../../packages/lease-lock/src/acquisition.js';
import { serverLeases } from '../../../../packages/lease-lock/src/server-leases.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { kubeconfig: { type: 'string' }, 'database-url': { type: 'string' } },
});
const url = values['database-url'];
const database = url === undefined ? undefined : new pg.Pool({ connectionString: url });
database?.on('error', () => undefined);
const backend = database ? databaseLeases({ database }) : await serverLeases({ kubeconfig: values.kubeconfig });
await withLock(positionals[0] ?? '', { backend }, async (lock) => {
  console.log('leading', String(lock.token));
  while (lock.isHeld()) {
    console.log('begins', Date.now());
    await sleep(200, undefined, { signal: lock.signal }).catch(() => undefined);
  }
  console.log('lost');
  process.exit(1);
});
