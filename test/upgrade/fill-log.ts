import { connected } from '../support/connected.js';

/**
 * Held leases whose last changes are all in the log, `$2` of each lease. With the columns that every version of the schema has; the leases
 * have no terms.
 */
const FILL = `
  with counter as (
    update revision_counter set value = value + $1::bigint * $2::bigint returning value - $1::bigint * $2::bigint as base, segment
  ), change as (
    select base + i as revision, case when i > $1 then base + i - $1 end as previous, segment, i > $1 * ($2 - 1) as newest,
           'filled-' || (i - 1) % $1 as name, md5(((i - 1) % $1)::text)::uuid::text as uid, (i - 1) / $1 as transitions
    from counter, generate_series(1, $1::bigint * $2::bigint) i
  ), version as (
    select *, '{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"' || name || '","namespace":"default","uid":"' || uid
              || '","creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"holderIdentity":"holder-of-' || name
              || '","leaseDurationSeconds":3600,"renewTime":"' || to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
              || '","leaseTransitions":' || transitions || '}}' as data
    from change
  ), log as (
    insert into revision_log (segment, revision, previous_revision, kind, terminating, previous_terminating, resource, path, uid, data)
    select segment, revision, previous, case when previous is null then 'A' else 'M' end::"char", false,
           case when previous is null then null else false end, 'leases.coordination.k8s.io', 'default/' || name, uid, data
    from version
  )
  insert into objects (resource, path, revision, terminating, uid, data)
  select 'leases.coordination.k8s.io', 'default/' || name, revision, false, uid, data from version where newest`;

/** Fills the newest schema that no server uses yet with `leases`, and with `changes` rows of the log for each. */
export async function fillLog(databaseUrl: string, leases: number, changes: number): Promise<void> {
  await using client = await connected(databaseUrl);
  await client.query(
    `select set_config('search_path', relnamespace::regnamespace::text, false) from pg_class where relname = 'revision_counter'`,
  );
  await client.query(FILL, [leases, changes]);
  await client.query('vacuum analyze objects');
}
