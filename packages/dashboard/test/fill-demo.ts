import { randomUUID } from 'node:crypto';
import { connected } from '../../../test/support/connected.js';
import { type DemoLease, type DemoTerm, DEMO_LEASES, demoTerms } from './demo-leases.js';
import { microTime } from './lease-objects.js';

/** The pictures differ only where the code does. */
const SEED = 7;
const CREATED_MS = 40 * 24 * 3_600_000;

const FILL_LEASES = `
  insert into objects (resource, path, uid, revision, terminating, data)
  select 'leases.coordination.k8s.io', path, uid, revision, false, data
  from jsonb_to_recordset($1::jsonb) as lease (path text, uid text, revision bigint, data text)`;

/** Terms that last are in segment 0. */
const FILL_TERMS = `
  insert into lease_term (segment, namespace, lease, token, uid, lease_uid, holder, began, until, reason, duration_seconds, transitions, renewed,
                          lapsed, lapsed_at, lapses, created, revision)
  select case when until is null then 0 else 1 end, namespace, lease, token, gen_random_uuid()::text, lease_uid, holder, began, until, reason,
         seconds, transitions, case when until is not null then renewed end, reason = 'Expired',
         case when reason = 'Expired' then renewed + seconds * interval '1 second' end, (reason = 'Expired')::integer, token, token
  from jsonb_to_recordset($1::jsonb) as term (namespace text, lease text, token bigint, lease_uid text, holder text, began timestamptz,
                                              until timestamptz, reason text, seconds integer, transitions integer, renewed timestamptz)`;

/** Fills a database that no server uses with the leases of the demo and a week of their terms. */
export async function fillDemo(url: string): Promise<void> {
  const now = Date.now();
  const random = seeded(SEED);
  const past = DEMO_LEASES.map((lease) => ({ lease, uid: randomUUID(), terms: demoTerms(lease, now, random) }));
  const inOrder = past.flatMap(({ terms }) => terms).sort((a, b) => a.began - b.began);
  await using client = await connected({ connectionString: url, options: '-c search_path=coordination_tables,coordination' });
  const counted = await client.query<{ value: string }>('select value from revision_counter');
  // A token is the revision of the write with which its term began.
  const base = Number(counted.rows[0]?.value);
  const tokens = new Map(inOrder.map((term, at) => [term, base + 1 + at]));
  const leases = past.map(({ lease, uid, terms }, at) => ({
    path: `${lease.namespace}/${lease.name}`,
    ...{ uid, revision: base + 1 + inOrder.length + at, data: leaseText(lease, uid, terms, now) },
  }));
  const terms = past.flatMap(({ lease, uid, terms }) =>
    terms.map((term, transitions) => ({
      ...{ namespace: lease.namespace, lease: lease.name, lease_uid: uid, token: tokens.get(term), holder: term.holder },
      ...{ reason: term.reason, seconds: lease.seconds, transitions },
      ...{ began: microTime(term.began), until: term.until && microTime(term.until), renewed: microTime(term.renewed) },
    })),
  );
  await client.query('update revision_counter set value = value + $1::bigint', [inOrder.length + past.length]);
  await client.query(FILL_LEASES, [JSON.stringify(leases)]);
  await client.query(FILL_TERMS, [JSON.stringify(terms)]);
  await client.query('update lease_term_segment set terms = terms + $1::bigint', [terms.filter(({ until }) => until).length]);
  await client.query('update compaction set revision = (select value from revision_counter)');
}

function leaseText({ namespace, name, seconds }: DemoLease, uid: string, terms: readonly DemoTerm[], now: number): string {
  const created = microTime(now - CREATED_MS).replace(/\.\d+/, '');
  const last = terms.at(-1);
  return JSON.stringify({
    ...{ kind: 'Lease', apiVersion: 'coordination.k8s.io/v1' },
    metadata: { name, namespace, uid, creationTimestamp: created },
    spec: {
      ...(last && { holderIdentity: last.until === undefined ? last.holder : '', acquireTime: microTime(last.began) }),
      ...{ leaseDurationSeconds: seconds, ...(last && { renewTime: microTime(last.renewed), leaseTransitions: terms.length - 1 }) },
    },
  });
}

/** The same random numbers from 0 to 1 for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
