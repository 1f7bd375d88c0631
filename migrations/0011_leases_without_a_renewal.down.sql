select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- As in 0006.
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
       lease_time(lease #>> '{spec,renewTime}')
         + (lease #>> '{spec,leaseDurationSeconds}')::int * interval '1 second' as expires,
       coalesce(lease #>> '{spec,holderIdentity}', '') <> ''
         and coalesce(lease_time(lease #>> '{spec,renewTime}')
         + (lease #>> '{spec,leaseDurationSeconds}')::int * interval '1 second' > now(), true) as held,
       lease #>> '{spec,strategy}' as strategy,
       lease #>> '{spec,preferredHolder}' as preferred_holder,
       uid,
       lease #> '{metadata,labels}' as labels
from objects, lateral (select lease_json(data) as lease offset 0) converted
where resource = 'leases.coordination.k8s.io';

drop function lease_last_write(jsonb);

-- As in 0007.
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
    ) as times
  );
end $$;

select set_config('search_path', quote_ident(current_schema()), true);
