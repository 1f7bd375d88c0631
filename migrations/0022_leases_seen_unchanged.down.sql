select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- As in 0011.
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

alter function lease_expiry(json, json) reset search_path;
revoke execute on function lease_expiry(json, json) from public;

-- As in 0008.
create or replace function lease_write(verb text, in_namespace text, in_name text, in_holder text, in_duration interval, in_token bigint,
                            out done boolean, out holder text, out token bigint, out expires timestamptz)
language plpgsql security definer set search_path from current
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  wanted constant text := in_namespace || '/' || in_name;
  leases constant text := 'leases.coordination.k8s.io';
  seconds integer;
  most integer;
  lease lease_state;
  next lease_state;
  counter record;
  locked boolean := false;
  moment timestamptz;
begin
  if transaction_timestamp() <= statement_timestamp() then
    raise exception 'only lease_acquire, lease_renew and lease_release call lease_write' using errcode = 'invalid_transaction_state';
  end if;
  -- what is answered is on disk, whatever the caller's session says
  perform set_config('synchronous_commit',
    case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true);
  perform lease_check_namespace(in_namespace), lease_check_name(in_name), lease_check_holder(in_holder);
  if verb = 'acquire' then seconds := lease_seconds(in_duration); end if;
  most := lease_permit(lease_caller(), in_namespace);
  loop
    moment := clock_timestamp();
    select * into lease from lease_at(wanted);
    done := case verb when 'acquire' then coalesce(lease.holder, '') in ('', in_holder) or coalesce(lease.expires <= moment, false)
                      else lease.holder is not distinct from in_holder
                           and (in_token is null or lease_term_of(wanted, in_token) is not null) end;
    if not done then
      holder := nullif(lease.holder, '');
      expires := lease.expires;
      return;
    end if;
    if verb = 'acquire' then perform lease_check_acquirable(in_namespace, lease, most); end if;
    next := lease_next(verb, lease, in_namespace, in_name, in_holder, seconds, moment);
    if not locked then
      select * into counter from lease_revision();
      locked := true;
    end if;
    if lease.revision is null then
      insert into objects (resource, path, uid, revision, terminating, data)
      select leases, wanted, next.uid, counter.revision, next.terminating, next.data
      where exists (select from objects n where n.resource = 'namespaces' and n.path = in_namespace and not n.terminating)
      on conflict do nothing;
    else
      update objects o set revision = counter.revision, data = next.data
      where o.resource = leases and o.path = wanted and o.revision = lease.revision;
    end if;
    exit when found;
  end loop;
  insert into revision_log (segment, kind, resource, path, uid, revision, terminating, data, previous_revision,
                            previous_uid, previous_terminating, previous)
  select counter.segment, case when lease.revision is null then 'A' else 'M' end, leases, wanted, next.uid, counter.revision,
         next.terminating, next.data, lease.revision, before.uid, before.terminating, before.data
  from (select) as one left join (select lease.uid, lease.terminating, lease.data) as before on lease.revision <= counter.segment_start;
  if coalesce(lease.holder, '') <> next.holder then
    perform lease_write_terms(in_namespace, in_name, lease, next, counter.revision, counter.segment);
  end if;
  perform lease_notify();
  if verb = 'acquire' then
    token := counter.revision;
    insert into lease_token as t (path, term, token) values (wanted, next.term, counter.revision)
    on conflict (path) do update set term = excluded.term, token = excluded.token;
    if lease.revision is null then perform lease_sweep(); end if;
  elsif verb = 'renew' then
    select t.token into token from lease_token t where t.path = wanted and t.term = next.term;
  else
    delete from lease_token t where t.path = wanted;
  end if;
  holder := nullif(next.holder, '');
  expires := next.expires;
end $$;

-- As in 0007.
create or replace function lease_sweep() returns void language plpgsql as $$
declare
  page bigint;
begin
  page := floor(random() * pg_relation_size('lease_token') / current_setting('block_size')::integer);
  delete from lease_token t
  where t.ctid >= format('(%s,0)', page)::tid and t.ctid < format('(%s,0)', page + 1)::tid
    and not exists (select from objects o where o.resource = 'leases.coordination.k8s.io' and o.path = t.path);
  page := floor(random() * pg_relation_size('lease_fence') / current_setting('block_size')::integer);
  delete from lease_fence t
  where t.path = any (array(
    select f.path from lease_fence f
    where f.ctid >= format('(%s,0)', page)::tid and f.ctid < format('(%s,0)', page + 1)::tid
      and not exists (select from objects o where o.resource = 'leases.coordination.k8s.io' and o.path = f.path)
    for update skip locked));
end $$;

drop function lease_is_over(text, lease_state), lease_see(text, bigint, text), lease_known_since(text), lease_run();
drop table lease_seen;

select set_config('search_path', quote_ident(current_schema()), true);
