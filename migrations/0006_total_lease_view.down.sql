-- The previous view.
create or replace view leases as
select split_part(path, '/', 1)                            as namespace,
       split_part(path, '/', 2)                            as name,
       data::jsonb #>> '{spec,holderIdentity}'             as holder,
       (data::jsonb #>> '{spec,leaseDurationSeconds}')::int as duration_seconds,
       (data::jsonb #>> '{spec,acquireTime}')::timestamptz as acquired,
       (data::jsonb #>> '{spec,renewTime}')::timestamptz   as renewed,
       (data::jsonb #>> '{spec,leaseTransitions}')::int    as transitions,
       revision,
       (data::jsonb #>> '{spec,renewTime}')::timestamptz
         + (data::jsonb #>> '{spec,leaseDurationSeconds}')::int * interval '1 second' as expires,
       coalesce(data::jsonb #>> '{spec,holderIdentity}', '') <> ''
         and coalesce((data::jsonb #>> '{spec,renewTime}')::timestamptz
         + (data::jsonb #>> '{spec,leaseDurationSeconds}')::int * interval '1 second' > now(), true) as held,
       data::jsonb #>> '{spec,strategy}'                   as strategy,
       data::jsonb #>> '{spec,preferredHolder}'            as preferred_holder,
       uid,
       data::jsonb #> '{metadata,labels}'                  as labels
from objects
where resource = 'leases.coordination.k8s.io';

drop function lease_time(text);
drop function lease_json(text);
