-- The current objects. `path` is `namespace/name`, or `name` for cluster-scoped objects: lists are ordered by its bytes.
-- No column that a renewal changes is indexed, and pages are half empty, so that a renewal is a HOT update.
create table objects (
  resource    text collate "C" not null,
  path        text collate "C" not null,
  revision    bigint not null,
  terminating boolean not null,
  uid         text not null,
  data        text not null,
  primary key (resource, path)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- For psql users; the server does not use it.
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
