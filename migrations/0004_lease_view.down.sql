drop view leases;
drop function leases_are_read_only();

create view leases as
select split_part(path, '/', 1)                            as namespace,
       split_part(path, '/', 2)                            as name,
       data::jsonb #>> '{spec,holderIdentity}'             as holder,
       (data::jsonb #>> '{spec,leaseDurationSeconds}')::int as duration_seconds,
       (data::jsonb #>> '{spec,acquireTime}')::timestamptz as acquired,
       (data::jsonb #>> '{spec,renewTime}')::timestamptz   as renewed,
       (data::jsonb #>> '{spec,leaseTransitions}')::int    as transitions,
       revision
from objects
where resource = 'leases.coordination.k8s.io';
