import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres-under-test.js';
import { SERVE_HISTORY } from '../support/serve-history.js';
import { startServerProcess } from '../support/server-process.js';
import { LeaseSession } from '../load/lease-session.js';
import { print } from '../load/print-figures.js';
import { connected } from '../support/connected.js';

/**
 * `npm run program long-history`: fills a database with terms of ninety days, and prints how long it takes to read all terms of a lease over HTTP. Ten
 * million terms take four gigabytes in the folder of temporary files, which are removed at the end.
 */
const { values } = parseArgs({
  options: {
    terms: { type: 'string', default: '10000000' },
    'terms-of-a-lease': { type: 'string', default: '1000' },
    reads: { type: 'string', default: '300' },
  },
});
const [terms, each, reads] = [values.terms, values['terms-of-a-lease'], values.reads].map(Number) as [number, number, number];
const leases = Math.ceil(terms / each);

const FILL = `
  insert into lease_term (segment, namespace, lease, token, uid, lease_uid, holder, began, until, reason, duration_seconds, transitions, renewed,
                          labels, created, revision)
  select 1, 'history', 'lease-' || i % $2::integer, 1000 + i, gen_random_uuid()::text, md5((i % $2)::text)::uuid::text,
         'worker-' || i % 7 || '_' || md5(i::text), began, began + step, 'Expired', 15, (i / $2)::integer, began + step - interval '17 s',
         '{"app":"worker"}', 1000 + i, 1000 + i
  from generate_series(1, $1::bigint) i, lateral (
    select now() - interval '90 days' + (i / $2) * step as began, step
    from (select interval '90 days' / greatest(1, $1::integer / $2::integer) as step) s
  ) t`;

async function fill(url: string): Promise<void> {
  await using client = await connected({ connectionString: url, options: '-c search_path=coordination -c synchronous_commit=off' });
  const began = performance.now();
  await client.query('update revision_counter set value = value + $1::bigint', [terms + 1_000]);
  await client.query(FILL, [terms, leases]);
  await client.query('update lease_term_segment set terms = terms + $1::bigint', [terms]);
  await client.query('vacuum analyze lease_term');
  const { rows } = await client.query<{ size: string }>(`select pg_size_pretty(pg_total_relation_size('lease_term_1')) as size`);
  console.log(
    `${terms} terms, ${each} for each of ${leases} leases: ${rows[0]?.size}, in ${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
}

async function read(session: LeaseSession, lease: string, query = ''): Promise<number> {
  const selector = encodeURIComponent(`spec.leaseName=${lease}`);
  const url = `/apis/history.coordination-apiserver.dev/v1/namespaces/history/leaseterms?fieldSelector=${selector}${query}`;
  const asked = performance.now();
  const { status, text } = await session.send('GET', url);
  const took = performance.now() - asked;
  const found = (JSON.parse(text) as { items?: unknown[] }).items?.length;
  if (status !== 200 || (query === '' && found !== each)) throw new Error(`${status}: ${found} terms, not ${each}: ${text.slice(0, 200)}`);
  return took;
}

async function main(): Promise<void> {
  using dir = mkdtempDisposableSync(path.join(tmpdir(), 'long-history-'));
  await using postgres = await startPostgres({ dir: dir.path });
  const options = { databaseUrl: postgres.url(), tokens: ['reader-token,reader,reader,"system:masters"'] };
  const flags = [SERVE_HISTORY, `--term-history-rows=${2 * terms}`];
  await (await startServerProcess({ ...options, flags })).stop();
  await fill(postgres.url());
  await using server = await startServerProcess({ ...options, flags });
  using session = new LeaseSession(server.url, 'reader-token');
  for (const [what, query] of [
    ['all terms of a lease', ''],
    ['its first 100', '&limit=100'],
  ] as const) {
    for (let i = 0; i < 20; i++) await read(session, `lease-${i % leases}`, query); // warms up
    const took: number[] = [];
    for (let i = 0; i < reads; i++) took.push(await read(session, `lease-${Math.floor(Math.random() * leases)}`, query));
    print(what, took, 'reads');
  }
}

await main();
