-- What a lease says: its holder, its term, when it expires.

-- One holder's uninterrupted hold of one lease.
create or replace function @extschema@.lease_term(uid text, spec json) returns text stable language sql as $$
  select format('%s %s %s %s', uid, spec ->> 'leaseTransitions', spec ->> 'acquireTime', spec ->> 'holderIdentity')
$$;

-- When a lease expires; null where it names no duration or no time is known, and so never does. renewTime is by the clock of whoever wrote it: the
-- database's is taken at its word. Beside a client's there is the server's, in managedFields, in whole seconds: the write is at most a second
-- younger. The later one counts, unless the client's is off by more than the lease's duration. Without renewTime the last write of any field
-- counts. The search_path is for the view `leases`, which is read with any.
create or replace function @extschema@.lease_expiry(spec json, managed json) returns timestamptz stable language plpgsql set search_path from current as $$
begin
  return (
    select case when stamped is null then renewed
                when renewed > stamped and renewed <= stamped + duration then renewed
                else stamped end + duration
    from (
      select lease_time(spec ->> 'renewTime') as renewed, (spec ->> 'leaseDurationSeconds')::integer * interval '1 second' as duration,
             max(lease_time(entry ->> 'time')) + interval '1 second' as stamped
      from (select) as one
      left join json_array_elements(managed) as entry
        on entry #> '{fieldsV1,f:spec,f:renewTime}' is not null and entry ->> 'manager' is distinct from 'coordination-sql'
        or spec ->> 'renewTime' is null
    ) as times
  );
end $$;

-- No row where there is none. Without `expires`: a renewal does not need it (lease_expiry).
create or replace function @extschema@.lease_at(wanted text) returns setof lease_state stable language sql as $$
  select o.revision, o.uid, o.terminating, o.data, l.spec, l.managed, coalesce(l.spec ->> 'holderIdentity', ''), null::timestamptz,
         lease_term(o.uid, l.spec)
  from objects o,
       lateral (select d.lease -> 'spec' as spec, d.lease #> '{metadata,managedFields}' as managed
                from (select lease_readable(o.data) as lease offset 0) d offset 0) l
  where o.resource = 'leases.coordination.k8s.io' and o.path = wanted
$$;

-- What is known of a lease, by the database's clock. No row where there is none. `token`: of the term, if that began in SQL.
create or replace function @extschema@.lease_get(in_namespace text, in_name text)
returns table (holder text, held boolean, token bigint, acquired timestamptz, renewed timestamptz, expires timestamptz,
               transitions integer, revision bigint)
language plpgsql stable security definer set search_path from current
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off as $$
begin
  perform lease_permit(lease_caller(), in_namespace);
  return query
    select nullif(l.holder, ''), l.holder <> '' and coalesce(timed.expires > clock_timestamp(), true), t.token,
           lease_time(l.spec ->> 'acquireTime'), lease_time(l.spec ->> 'renewTime'), timed.expires,
           (l.spec ->> 'leaseTransitions')::integer, l.revision
    from lease_at(in_namespace || '/' || in_name) l
    cross join lateral (select lease_expiry(l.spec, l.managed) as expires offset 0) timed
    left join lease_token t on t.path = in_namespace || '/' || in_name and t.term = l.term;
end $$;

-- For psql users. Read-only: a write past the server would be missing from every watch. `offset 0`: converted once per row.
create or replace view @extschema@.leases as
select split_part(path, '/', 1) as namespace,
       split_part(path, '/', 2) as name,
       lease #>> '{spec,holderIdentity}' as holder,
       (lease #>> '{spec,leaseDurationSeconds}')::int as duration_seconds,
       lease_time(lease #>> '{spec,acquireTime}') as acquired,
       lease_time(lease #>> '{spec,renewTime}') as renewed,
       (lease #>> '{spec,leaseTransitions}')::int as transitions,
       revision,
       timed.expires,
       coalesce(lease #>> '{spec,holderIdentity}', '') <> '' and coalesce(timed.expires > clock_timestamp(), true) as held,
       lease #>> '{spec,strategy}' as strategy,
       lease #>> '{spec,preferredHolder}' as preferred_holder,
       uid,
       lease #> '{metadata,labels}' as labels
from objects, lateral (select lease_json(data) as lease offset 0) converted,
     lateral (select lease_expiry((lease -> 'spec')::json, nullif(lease #> '{metadata,managedFields}', 'null')::json) as expires
              offset 0) timed
where resource = 'leases.coordination.k8s.io';

create or replace function @extschema@.leases_are_read_only() returns trigger language plpgsql as $$
begin
  raise exception 'the view % is read-only: %', tg_table_name, tg_argv[0] using errcode = 'wrong_object_type';
end $$;

create or replace trigger leases_are_read_only instead of insert or update or delete on leases
for each row execute function leases_are_read_only('write leases through the API');

revoke all on function lease_term, lease_at, lease_get from public;
