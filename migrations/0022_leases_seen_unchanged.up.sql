-- No wall clock takes a lease from its holder (docs/decisions/0035-no-wall-clock-frees-a-lease.md), and the view `leases` counts as lease_get does.
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- What SQL contenders have seen of leases that others hold. Unlogged: after a crash, on a standby that was promoted and in a restored backup nothing
-- is known, since older states of leases may be current again there. `run` says so for everything else that begins anew. `watched` is for how many
-- milliseconds the lease was certainly seen at `revision`. The row with the path '' says since when anything is known.
create unlogged table lease_seen (
  path     text primary key,
  run      text not null,
  revision bigint not null,
  since    timestamptz not null,
  last     timestamptz not null,
  watched  bigint not null
) with (fillfactor = 50);

-- This run of PostgreSQL, this database, and this table of it, so that nothing is believed that was copied.
create function lease_run() returns text language sql stable as $$
  select format('%s %s %s', pg_postmaster_start_time(), (select oid from pg_database where datname = current_database()),
                'lease_seen'::regclass::oid)
$$;

-- Since when nothing is known of leases to have changed.
create function lease_known_since(this_run text) returns timestamptz language plpgsql as $$
declare
  moment constant timestamptz := clock_timestamp();
  known timestamptz;
begin
  select s.since into known from lease_seen s where s.path = '' and s.run = this_run and s.since <= moment;
  if known is not null then return known; end if;
  insert into lease_seen values ('', this_run, 0, moment, moment, 0)
  on conflict (path) do update set run = excluded.run, since = excluded.since;
  return moment;
end $$;

-- Notes that a lease is at this revision, and answers since when and for how long it has been. Of the time between two calls at most two seconds count,
-- so that a step of the clock by any time is believed as two seconds. Contenders do not wait for each other: one of them notes it.
create function lease_see(wanted text, at_revision bigint, this_run text, out since timestamptz, out watched bigint) language plpgsql as $$
declare
  moment constant timestamptz := clock_timestamp();
  seen lease_seen;
begin
  select * into seen from lease_seen s where s.path = wanted for update skip locked;
  if not found then
    insert into lease_seen values (wanted, this_run, at_revision, moment, moment, 0) on conflict do nothing;
    select * into seen from lease_seen s where s.path = wanted;
  elsif seen.run <> this_run or seen.revision <> at_revision or seen.last > moment then
    update lease_seen s
    set run = this_run, revision = at_revision, since = moment, last = moment,
        watched = case when seen.run = this_run and seen.revision = at_revision then s.watched else 0 end
    where s.path = wanted returning s.* into seen;
  elsif moment - seen.last >= interval '50 milliseconds' then
    update lease_seen s set last = moment, watched = s.watched + least(floor(extract(epoch from moment - seen.last) * 1000), 2000)::bigint
    where s.path = wanted returning s.* into seen;
  end if;
  since := case when seen.run = this_run and seen.revision = at_revision then seen.since else moment end;
  watched := case when seen.run = this_run and seen.revision = at_revision then seen.watched else 0 end;
end $$;

-- Whether a lease may be taken from its holder. Called after the lease was read, for a write that takes effect only if it still is what was read. One
-- of these has to be so:
-- - contenders have watched it unchanged for its duration, and for as long as a step of the clock can have added;
-- - by the database's clock it has not changed for ten minutes more than its duration, and no clock steps by that much: since they first saw it, since
--   a segment of the log began, or since SQL renewed it, but not from before what is known began.
create function lease_is_over(wanted text, lease lease_state) returns boolean language plpgsql as $$
declare
  seconds constant bigint := (lease.spec ->> 'leaseDurationSeconds')::integer;
  lasts constant interval := seconds * interval '1 second';
  this_run constant text := lease_run();
  known constant timestamptz := lease_known_since(this_run);
  seen record;
begin
  if seconds is null then return false; end if;
  select * into seen from lease_see(wanted, lease.revision, this_run);
  if seen.watched >= seconds * 1000 + 2000 then return true; end if;
  return clock_timestamp() - lasts - interval '10 minutes' >= greatest(known, least(
    seen.since,
    (select min(s.started_at) from log_segment s where s.start_revision >= lease.revision),
    case when not exists (
      select from json_array_elements(lease.managed) as entry
      where entry #> '{fieldsV1,f:spec,f:renewTime}' is not null and entry ->> 'manager' is distinct from 'coordination-sql'
    ) then lease_time(lease.spec ->> 'renewTime') end));
end $$;

-- As in 0007, and what was seen of deleted leases.
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
  page := floor(random() * pg_relation_size('lease_seen') / current_setting('block_size')::integer);
  delete from lease_seen t
  where t.path = any (array(
    select s.path from lease_seen s
    where s.ctid >= format('(%s,0)', page)::tid and s.ctid < format('(%s,0)', page + 1)::tid and s.path <> ''
      and not exists (select from objects o where o.resource = 'leases.coordination.k8s.io' and o.path = s.path)
    for update skip locked));
end $$;

-- As in 0008, except for what makes a lease free. What is refused writes what was seen, which nobody waits for, and takes no other lock.
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
    done := case verb when 'acquire' then coalesce(lease.holder, '') in ('', in_holder) or lease_is_over(wanted, lease)
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
    if lease.revision is null then
      perform lease_sweep();
    elsif lease.holder <> in_holder then
      delete from lease_seen s where s.path = wanted;
    end if;
  elsif verb = 'renew' then
    select t.token into token from lease_token t where t.path = wanted and t.term = next.term;
  else
    delete from lease_token t where t.path = wanted;
  end if;
  holder := nullif(next.holder, '');
  expires := next.expires;
end $$;

-- For the view, which is read with any search_path.
alter function lease_expiry(json, json) set search_path from current;
grant execute on function lease_expiry(json, json) to public;

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

revoke all on function lease_run, lease_known_since, lease_see, lease_is_over from public;

select set_config('search_path', quote_ident(current_schema()), true);
