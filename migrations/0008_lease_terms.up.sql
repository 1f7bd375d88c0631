-- Terms: who held a lease, from when to when, and how it ended (docs/terms.md, docs/decisions/0027-terms.md). A term is in segment 0 while it
-- is open and moves to the newest segment when it ends, so that a segment is dropped once all of its terms ended long ago.
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

create table lease_term (
  segment          integer not null,
  namespace        text collate "C" not null,
  lease            text collate "C" not null,
  -- The revision of the write with which the term began.
  token            bigint not null,
  -- The key of the term as an object: NAMESPACE/LEASE.TOKEN.
  path             text collate "C" not null generated always as (namespace || '/' || lease || '.' || token::text) stored,
  uid              text not null,
  lease_uid        text not null,
  holder           text not null,
  began            timestamptz not null,
  until            timestamptz,
  reason           text,
  duration_seconds integer,
  transitions      integer,
  -- The last renewal, by the holder's clock; known once the term has ended.
  renewed          timestamptz,
  -- The lease's labels when the term began, as JSON.
  labels           text,
  -- The revisions of the first and the last change of this row.
  created          bigint not null,
  revision         bigint not null,
  check ((segment = 0) = (until is null))
) partition by list (segment);

create index lease_term_path on lease_term (path);
create index lease_term_lease on lease_term (lease, namespace);
create index lease_term_holder on lease_term (holder);

create table lease_term_0 partition of lease_term for values in (0)
  with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
create table lease_term_1 partition of lease_term for values in (1);
-- A lease has at most one open term.
create unique index lease_term_open on lease_term_0 (namespace, lease);

-- The segments of terms that have ended: when each was begun, and how many terms it has.
create table lease_term_segment (
  segment    integer primary key,
  started_at timestamptz not null,
  terms      bigint not null default 0
) with (fillfactor = 10);
insert into lease_term_segment (segment, started_at) values (1, now());

-- A term as the API serves it. Fields are in the order of the server's schema.
create function lease_term_object(term lease_term) returns text language sql stable as $$
  select '{"kind":"LeaseTerm","apiVersion":"history.coordination-apiserver.dev/v1","metadata":{"name":'
      || lease_string(term.lease || '.' || term.token::text)
      || ',"namespace":' || lease_string(term.namespace)
      || ',"uid":"' || term.uid || '"'
      || ',"creationTimestamp":"' || lease_whole_time(term.began) || '"'
      || coalesce(',"labels":' || term.labels, '')
      || '},"spec":{"leaseName":' || lease_string(term.lease)
      || ',"leaseUID":' || lease_string(term.lease_uid)
      || ',"holder":' || lease_string(term.holder)
      || ',"fencingToken":"' || term.token || '"'
      || ',"from":"' || lease_micro_time(term.began) || '"'
      || coalesce(',"leaseDurationSeconds":' || term.duration_seconds, '')
      || coalesce(',"leaseTransitions":' || term.transitions, '')
      || '},"status":{"phase":"' || case when term.until is null then 'Held' else 'Ended' end || '"'
      || coalesce(',"until":"' || lease_micro_time(term.until) || '"', '')
      || coalesce(',"reason":"' || term.reason || '"', '')
      || coalesce(',"lastRenewTime":"' || lease_micro_time(term.renewed) || '"', '')
      || '}}'
$$;

-- Ends and begins terms in the caller's transaction, which must have locked the revision counter: nothing else changes terms.
--
-- Each element of `changes` names a lease (namespace, lease) and ends its open term (`reason`), begins one (`holder`), or both. It may take
-- the revisions after + 2n - 1 and after + 2n, where n is its number. The changes are logged as those of objects are, and returned.
--
-- An element has: lease_uid, token (the revision of the write that begins the term), holder, duration, transitions, labels; of a term that
-- ends: reason, held_by (the holder that the writer replaced), held_duration, renewed and expires (when the time of that holder is over),
-- and ends, its token, if no other term may end.
create function lease_change_terms(after bigint, log_segment integer, changes jsonb)
returns table (revision bigint, kind "char", path text, uid text, data text, previous_revision bigint, previous text)
language plpgsql set search_path from current
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan set jit = off as $$
#variable_conflict use_column
begin
  return query
  with change as materialized (
    select c.*, after + 2 * c.number - 1 as first_revision
    from rows from (jsonb_to_recordset(changes) as (
      namespace text, lease text, lease_uid text, token bigint, holder text, duration integer, transitions integer, labels text,
      reason text, held_by text, held_duration integer, renewed text, expires text, ends bigint
    )) with ordinality as c(namespace, lease, lease_uid, token, holder, duration, transitions, labels,
                            reason, held_by, held_duration, renewed, expires, ends, number)
  ), moment as materialized (
    select clock_timestamp() as now, max(segment) as segment from lease_term_segment
  ), before as materialized (
    select c.*, t.revision as previous_revision, lease_term_object(t) as previous
    from change c join lease_term t on t.segment = 0 and t.lease = c.lease and t.namespace = c.namespace
    where c.reason is not null and (c.ends is null or t.token = c.ends)
  ), ended as (
    update lease_term t
    set segment = moment.segment, until = greatest(moment.now, t.began), revision = b.first_revision,
        renewed = lease_time(b.renewed), duration_seconds = coalesce(b.held_duration, t.duration_seconds),
        reason = case when t.holder is distinct from b.held_by then 'Unknown'
                      when b.reason in ('Replaced', 'HandedOver') and lease_time(b.expires) <= moment.now then 'Expired'
                      else b.reason end
    from before b, moment
    where t.segment = 0 and t.lease = b.lease and t.namespace = b.namespace
    returning t.path, t.uid, t.revision, lease_term_object(t) as data, b.previous_revision, b.previous
  ), begun as (
    insert into lease_term as t (segment, namespace, lease, token, uid, lease_uid, holder, began, duration_seconds, transitions, labels,
                                 created, revision)
    select 0, c.namespace, c.lease, c.token, gen_random_uuid()::text, c.lease_uid, c.holder, moment.now, c.duration, c.transitions, c.labels,
           c.first_revision + 1, c.first_revision + 1
    from change c, moment
    -- after the term that ends; where another one is open all the same, the next comparison with the leases finds it
    where c.holder is not null and (select count(*) from ended) >= 0
    on conflict do nothing
    returning t.path, t.uid, t.revision, lease_term_object(t) as data
  ), counted as (
    update lease_term_segment s set terms = s.terms + e.terms
    from moment, (select count(*) as terms from ended) e
    where s.segment = moment.segment and e.terms > 0
  ), altered as (
    select 'M'::"char" as kind, ended.* from ended
    union all
    select 'A', begun.*, null, null from begun
  )
  insert into revision_log as l (segment, kind, resource, path, uid, revision, terminating, data,
                                 previous_revision, previous_uid, previous_terminating, previous)
  select log_segment, a.kind, 'leaseterms.history.coordination-apiserver.dev', a.path, a.uid, a.revision, false, a.data,
         a.previous_revision, case when a.kind = 'M' then a.uid end, case when a.kind = 'M' then false end, a.previous
  from altered a
  returning l.revision, l.kind, l.path, l.uid, l.data, l.previous_revision, l.previous;
end
$$;

-- The terms that a write of lease_write ends and begins, by the rule of the server's writes
-- (src/apis/coordination/lease/lease-term-change.ts). They never stand in its way: what is missed, the next comparison of terms with leases
-- finds.
create function lease_write_terms(in_namespace text, in_name text, before lease_state, after lease_state, token bigint, log_segment integer)
returns void language plpgsql as $$
declare
  held constant text := coalesce(before.holder, '');
  -- told of a better holder, a holder lets go or is replaced by it
  preferred constant text := coalesce(before.spec ->> 'preferredHolder', '');
  labels constant text := after.data::json #>> '{metadata,labels}';
  last bigint;
begin
  update revision_counter c set value = c.value + 2 returning c.value into last;
  perform lease_change_terms(last - 2, log_segment, jsonb_build_array(jsonb_build_object(
    'namespace', in_namespace, 'lease', in_name, 'lease_uid', after.uid, 'token', token,
    'reason', case when held = '' then null
                   when preferred not in ('', held) and after.holder in ('', preferred) then 'HandedOver'
                   when after.holder = '' then 'Released'
                   else 'Replaced' end,
    'held_by', left(held, 600), 'held_duration', before.spec ->> 'leaseDurationSeconds',
    'renewed', before.spec ->> 'renewTime', 'expires', before.expires,
    'holder', nullif(left(after.holder, 600), ''), 'duration', after.spec ->> 'leaseDurationSeconds',
    'transitions', after.spec ->> 'leaseTransitions', 'labels', case when length(labels) <= 4096 then labels end)));
exception when others then
  raise warning 'the terms of lease "%/%" could not be recorded: %', in_namespace, in_name, sqlerrm;
end
$$;

-- As before, and with the terms that it ends and begins.
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

-- For psql users.
create view lease_terms as
select namespace, lease, holder, token, began, until, reason, duration_seconds, transitions, renewed, lease_uid, uid,
       lease_json(labels) as labels
from lease_term;

create function lease_terms_are_read_only() returns trigger language plpgsql as $$
begin
  raise exception 'the view lease_terms is read-only: terms are written with their leases' using errcode = 'wrong_object_type';
end
$$;

create trigger lease_terms_are_read_only instead of insert or update or delete on lease_terms
for each row execute function lease_terms_are_read_only();

revoke all on function lease_term_object, lease_change_terms, lease_write_terms, lease_terms_are_read_only from public;

select set_config('search_path', quote_ident(current_schema()), true);
