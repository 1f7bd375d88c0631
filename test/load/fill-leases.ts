import type pg from 'pg';

/** Leases that a script finds in its database, each with its open term, which has lapsed where the lease has expired. */
export interface FilledLeases {
  /** The leases are NAME-1, NAME-2 and so on, in the namespace default. */
  readonly name: string;
  readonly count: number;
  readonly seconds: number;
  /** When the first one expires. */
  readonly expiresMs: number;
  /** The others follow within this time. */
  readonly withinMs?: number;
}

const FILL = `
  with counter as (
    update revision_counter set value = value + $2::bigint where segment is not null returning value - $2::bigint as base
  ), lease as (
    select $1 || '-' || i as name, base + i as revision, gen_random_uuid()::text as uid,
           to_timestamp($4::float8 / 1000) + i * $5::float8 / $2 * interval '1 millisecond' - $3::integer * interval '1 second' as renewed
    from counter, generate_series(1, $2::bigint) i
  ), object as (
    insert into objects (resource, path, uid, revision, terminating, data)
    select 'leases.coordination.k8s.io', 'default/' || name, uid, revision, false,
           '{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"' || name || '","namespace":"default","uid":"' || uid
           || '","creationTimestamp":"' || lease_whole_time(renewed) || '"},"spec":{"holderIdentity":"holder-of-' || name
           || '","leaseDurationSeconds":' || $3 || ',"renewTime":"' || lease_micro_time(renewed) || '"}}'
    from lease
  )
  insert into lease_term (segment, namespace, lease, token, uid, lease_uid, holder, began, duration_seconds, lapsed, lapsed_at, lapses, created, revision)
  select 0, 'default', name, revision, gen_random_uuid()::text, uid, 'holder-of-' || name, renewed, $3,
         case when over <= now() then true end, case when over <= now() then over end, case when over <= now() then 1 end, revision, revision
  from lease cross join lateral (select renewed + $3::integer * interval '1 second' as over) expiry`;

/** Fills a database that no server uses. Its log does not have these leases. */
export async function fillLeases(client: pg.Client, { name, count, seconds, expiresMs, withinMs = 0 }: FilledLeases): Promise<void> {
  await client.query(FILL, [name, count, seconds, expiresMs, withinMs]);
  await client.query('update compaction set revision = (select value from revision_counter)');
}
