import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { postgresUnderTest } from '../support/postgres-under-test.js';
import { startServerProcess } from '../support/server-process.js';
import { LeaseHolders } from '../load/lease-holders.js';
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

interface Figures {
  readonly renewals: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

function figuresOf(took: readonly number[]): Figures {
  const sorted = [...took].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { renewals: took.length, p50: at(0.5), p99: at(0.99), longest: at(1) };
}

function print(what: string, { renewals, p50, p99, longest }: Figures): void {
  console.log(`${what}: ${renewals} renewals, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms, longest ${longest.toFixed(0)} ms`);
}

async function main(): Promise<void> {
  const dir = mkdtempSync(path.join(tmpdir(), 'open-transactions-'));
  const postgres = postgresUnderTest({ dir });
  await postgres.start();
  const server = await startServerProcess({ databaseUrl: postgres.url(), tokens: ['holder-token,holder,holder,"system:masters"'] });
  const holders = new LeaseHolders({
    url: server.url,
    token: 'holder-token',
    namespace: 'held',
    leases: Number(values.leases),
    periodMs: 2000,
    connections: 10,
  });
  try {
    await holders.acquire();
    await holders.renew(5000); // warms up
    const took: Record<'alone' | 'beside', number[]> = { alone: [], beside: [] };
    for (let round = 1; round <= Number(values.rounds); round++) {
      // in turn, so that both see the same machine
      for (const phase of round % 2 === 1 ? (['alone', 'beside'] as const) : (['beside', 'alone'] as const)) {
        const users = phase === 'beside' ? await openUserTransactions(postgres.url()) : undefined;
        const renewals = await holders.renew(Number(values.seconds) * 1000);
        if (renewals.refused.length > 0) throw new Error(`${renewals.refused.length} renewals failed: ${renewals.refused[0]}`);
        print(`round ${round}, ${phase === 'beside' ? 'beside open transactions' : 'alone'}`, figuresOf(renewals.took));
        for (const line of (await users?.end()) ?? []) console.log(`  ${line}`);
        took[phase].push(...renewals.took);
      }
    }
    print('all rounds, alone', figuresOf(took.alone));
    print('all rounds, beside open transactions', figuresOf(took.beside));
  } finally {
    holders.close();
    await server.stop();
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

await main();
