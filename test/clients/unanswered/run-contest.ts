import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { apiAccess } from '../../../packages/leader-election/test/support/api-access.js';
import { DatabaseProxy } from '../../integration/storage/database-proxy.js';
import { startPgBouncer } from '../../support/pgbouncer.js';
import { type ServerProcess, startServerProcess } from '../../support/server-process.js';
import { TcpLink } from '../../support/tcp-link.js';
import { createTestDatabase, serverUrl } from '../../support/test-database.js';
import { createFencedTables } from '../race/fenced-tables.js';
import { BEAT_ENTRY } from '../race/framework-programs.js';
import { Contender } from './contender.js';
import { type Outcome, folderFor, round } from './contest.js';
import { hangs } from './hangs.js';
import type { Recipe, Way } from './recipe.js';
import { Rival } from './rival.js';

export interface ContestOptions {
  readonly recipes: readonly Recipe[];
  /** Rounds begin until so many seconds are over; every hang has at least one. */
  readonly seconds: number;
  readonly signal?: AbortSignal;
  readonly onRound?: (outcomes: readonly Outcome[]) => void;
}

/**
 * Programs of the documentation lead, each a lease of its own, in the database through PgBouncer or at a server whose database is behind it, until
 * nobody answers them. A rival goes straight at PostgreSQL.
 */
export async function runContest(options: ContestOptions): Promise<Outcome[]> {
  const { recipes } = options;
  const folder = mkdtempSync(path.join(tmpdir(), 'contest-'));
  await using database = await createTestDatabase();
  await using bouncer = await startPgBouncer(serverUrl(), 'transaction');
  const throughPooler = bouncer.url(database.url);
  await using server = await startServerProcess({ store: 'postgres', databaseUrl: throughPooler });
  await using tcp = await DatabaseProxy.start(database.url); // not every driver knows sockets
  const direct = new pg.Pool({ connectionString: database.url, max: 8 });
  await createTables(direct, recipes);
  const contenders: Contender[] = [];
  const outcomes: Outcome[] = [];
  try {
    for (const recipe of recipes) {
      const command = await recipe.build(folderFor(folder, recipe.name), recipe.name);
      const link = await TcpLink.to(recipe.via === 'server' ? server.port : Number(new URL(throughPooler).port));
      const way = await wayOf(server, link, { lease: recipe.name, databaseUrl: throughPooler, directUrl: tcp.url(database.url) });
      contenders.push(new Contender(recipe, link, command(way)));
    }
    const all = hangs({ bouncer, databaseUrl: throughPooler, contenders });
    const end = performance.now() + options.seconds * 1000;
    for (let number = 0; number < all.length || performance.now() < end; number++) {
      if (options.signal?.aborted) break;
      const [hang] = all.slice(number % all.length);
      const outcome = hang ? await round(contenders, new Rival(direct), hang) : [];
      options.onRound?.(outcome);
      outcomes.push(...outcome);
    }
    return outcomes;
  } finally {
    bouncer.resume();
    await Promise.all(contenders.map((contender) => contender.kill()));
    await Promise.all(contenders.map(({ link }) => link.close()));
    await direct.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function createTables(database: pg.Pool, recipes: readonly Recipe[]): Promise<void> {
  await createFencedTables(
    database,
    recipes.map(({ name }) => name),
  );
  await database.query(BEAT_ENTRY);
  await database.query(`create table public.account (name text primary key, balance integer not null);
    insert into public.account values ('a', 0)`);
}

async function wayOf(
  server: ServerProcess,
  link: TcpLink,
  { databaseUrl, ...more }: Pick<Way, 'lease' | 'databaseUrl' | 'directUrl'>,
): Promise<Way> {
  const { token, caFile } = await apiAccess(server);
  const through = new URL(databaseUrl);
  through.port = String(link.port);
  const kubeconfig = path.join(server.dataDir, `contest-${link.port}.kubeconfig`);
  const admins = await readFile(path.join(server.dataDir, 'admin.kubeconfig'), 'utf8');
  await writeFile(kubeconfig, admins.replaceAll(`127.0.0.1:${server.port}`, `127.0.0.1:${link.port}`), { mode: 0o600 });
  return { ...more, databaseUrl: through.toString(), server: `https://127.0.0.1:${link.port}`, token, caFile, kubeconfig };
}
