import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-under-test.js';
import { startServerProcess } from '../support/server-process.js';
import { LeaseHolders } from '../load/lease-holders.js';
import { print } from '../load/print-figures.js';
import { openUserTransactions } from '../load/user-transactions.js';

/**
 * `npm run program open-transactions`: renews leases over HTTP, in turn alone and beside users' transactions that stay open under a fencing token, and prints
 * how long the renewals took and how each transaction ended. PostgreSQL has its durable settings.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '3' },
    leases: { type: 'string', default: '1000' },
  },
});

async function main(): Promise<void> {
  using dir = mkdtempDisposableSync(path.join(tmpdir(), 'open-transactions-'));
  await using postgres = await startPostgres({ dir: dir.path });
  await using server = await startServerProcess({ databaseUrl: postgres.url(), tokens: ['holder-token,holder,holder,"system:masters"'] });
  using holders = new LeaseHolders({
    url: server.url,
    token: 'holder-token',
    namespace: 'held',
    leases: Number(values.leases),
    periodMs: 2000,
    connections: 10,
  });
  await holders.acquire();
  await holders.renew(5000); // warms up
  const took: Record<'alone' | 'beside', number[]> = { alone: [], beside: [] };
  for (let round = 1; round <= Number(values.rounds); round++) {
    // in turn, so that both see the same machine
    for (const phase of round % 2 === 1 ? (['alone', 'beside'] as const) : (['beside', 'alone'] as const)) {
      const users = phase === 'beside' ? await openUserTransactions(postgres.url()) : undefined;
      const renewals = await holders.renew(Number(values.seconds) * 1000);
      if (renewals.refused.length > 0) throw new Error(`${renewals.refused.length} renewals failed: ${renewals.refused[0]}`);
      print(`round ${round}, ${phase === 'beside' ? 'beside open transactions' : 'alone'}`, renewals.took, 'renewals');
      for (const line of (await users?.end()) ?? []) console.log(`  ${line}`);
      took[phase].push(...renewals.took);
    }
  }
  print('all rounds, alone', took.alone, 'renewals');
  print('all rounds, beside open transactions', took.beside, 'renewals');
}

await main();
