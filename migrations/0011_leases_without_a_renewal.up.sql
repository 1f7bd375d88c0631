-- A lease without renewTime counts from its last write, as client-go's electors count from the last change that they saw. Before, it never
-- expired.
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- When a lease expires; null where it names no duration or no time is known, and so never does. renewTime is by the clock of whoever wrote it. The
-- database's own clock is taken at its word. A client's is not: the server has noted in managedFields when it got the write, in whole
-- seconds, so the write is at most a second younger. Of the two the later one counts, unless the client's clock is off by more than the
-- lease's duration. Without renewTime the last write of any field counts.
create or replace function lease_expiry(spec json, managed json) returns timestamptz stable language plpgsql as $$
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

-- When the last write reached the server, in whole seconds; null if the lease does not tell.
create function lease_last_write(lease jsonb) returns timestamptz stable language sql as $$
  select max(lease_time(entry ->> 'time'))
  from jsonb_array_elements(case jsonb_typeof(lease #> '{metadata,managedFields}')
    when 'array' then lease #> '{metadata,managedFields}' else '[]' end) as entry
$$;

-- `offset 0`: converted once per row.
create or replace view leases as
select split_part(path, '/', 1) as namespace,
       split_part(path, '/', 2) as name,
       lease #>> '{spec,holderIdentity}' as holder,
       (lease #>> '{spec,leaseDurationSeconds}')::int as duration_seconds,
       lease_time(lease #>> '{spec,acquireTime}') as acquired,
       lease_time(lease #>> '{spec,renewTime}') as renewed,
       (lease #>> '{spec,leaseTransitions}')::int as transitions,
       revision,
       counted + (lease #>> '{spec,leaseDurationSeconds}')::int * interval '1 second' as expires,
       coalesce(lease #>> '{spec,holderIdentity}', '') <> ''
         and coalesce(counted + (lease #>> '{spec,leaseDurationSeconds}')::int * interval '1 second' > now(), true) as held,
       lease #>> '{spec,strategy}' as strategy,
       lease #>> '{spec,preferredHolder}' as preferred_holder,
       uid,
       lease #> '{metadata,labels}' as labels
from objects, lateral (select lease_json(data) as lease offset 0) converted,
     lateral (select case when lease #>> '{spec,renewTime}' is null then lease_last_write(lease)
                          else lease_time(lease #>> '{spec,renewTime}') end as counted offset 0) timed
where resource = 'leases.coordination.k8s.io';

select set_config('search_path', quote_ident(current_schema()), true);
