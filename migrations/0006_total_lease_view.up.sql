-- The view never fails: before, one lease with a string or a time that PostgreSQL cannot represent made every query fail.

-- text and jsonb hold no U+0000 and no half of a surrogate pair: they become U+FFFD.
create function lease_json(data text) returns jsonb language plpgsql immutable as $$
begin
  return data::jsonb;
exception when others then
  begin
    return regexp_replace(data, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\ufffd', 'g')::jsonb;
  exception when others then
    return null;
  end;
end
$$;

-- Null for what is no time here, as the year 0.
create function lease_time(written text) returns timestamptz language plpgsql stable as $$
begin
  return written::timestamptz;
exception when others then
  return null;
end
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
