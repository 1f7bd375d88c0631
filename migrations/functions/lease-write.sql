-- Writes of leases in SQL: the same object, counter, log and notification that a server would have written.

-- Takes the next revision, and locks the counter until the transaction ends, as a batch of the server's does (write/batch-statement.ts); where another
-- run of PostgreSQL or other files had it, a lineage begins first (lineage/lineage.repository.ts). Writers queue up for a table beforehand, which is
-- served in order as a row is not, so that at most one of them competes with the batches of servers. With its mode of lock, those that need no
-- right on the table do not conflict.
create or replace function @extschema@.lease_revision(out revision bigint, out segment integer, out segment_start bigint) language plpgsql as $$
declare
  newest bigint;
  newest_segment integer;
begin
  lock table lease_writer_queue in share update exclusive mode;
  loop
    -- found by its segment, as by a commit: not every version is visited that an old snapshot keeps
    update revision_counter c set value = c.value + 1
    where c.segment = coalesce(newest_segment, (select max(s.segment) from log_segment s))
      and c.server_started = pg_postmaster_start_time() and c.counter_file = pg_relation_filepath(c.tableoid)
    returning c.value, c.segment, c.segment_start into revision, segment, segment_start;
    if found then return; end if;
    select c.value, c.segment into strict newest, newest_segment from revision_counter c for update;
    with begun as (
      update revision_counter c
      set value = case when c.lineage = 0 and c.value = 1000 then c.value
                       when clock.micros > c.value then clock.micros
                       else c.value + 1000000000 end,
          lineage = 1 + (('x' || left(replace(gen_random_uuid()::text, '-', ''), 12))::bit(48)::bigint >> 1),
          server_started = pg_postmaster_start_time(), counter_file = pg_relation_filepath(c.tableoid)
      from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as micros) as clock
      where c.server_started <> pg_postmaster_start_time() or c.counter_file <> pg_relation_filepath(c.tableoid)
      returning c.lineage, c.value
    )
    insert into revision_lineage (id, ended, began) select begun.lineage, newest, begun.value from begun;
  end loop;
end $$;

-- Wakes servers, if there are any, in a transaction of its own that holds nothing: a commit that notifies takes a lock that all such commits of
-- PostgreSQL share, those of other programs included. Full notification queues refuse commits; servers find the change by polling then.
create or replace function @extschema@.lease_notify() returns void language plpgsql security definer set search_path from current as $$
begin
  if pg_notification_queue_usage() >= 0.9 then return; end if;
  -- nothing rests on it
  perform set_config('synchronous_commit', 'off', true), pg_notify(case when @schema@ <> 'public' and @schema@ ~ '^[a-z0-9_]{1,42}$'
    then 'coordination_changes_' || @schema@ else 'coordination_changes' end, '');
end $$;

-- Returns once everything that was visible before is on disk, and on the synchronous standby where one is named: a commit waits for that if it wrote
-- something, and what it writes here is read by nobody. Many that wait share a flush. `wrote`: something is known to be not yet there; otherwise it
-- is looked at first.
create or replace function @extschema@.lease_flush(wrote boolean) returns void language plpgsql security definer set search_path from current as $$
begin
  if not has_function_privilege(3577::oid, 'EXECUTE') then return; end if; -- nothing was released early (lease_write)
  if not wrote and current_setting('synchronous_standby_names') = ''
     and has_function_privilege(2852::oid, 'EXECUTE') and has_function_privilege(3330::oid, 'EXECUTE') then
    if pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() then return; end if;
  end if;
  perform set_config('synchronous_commit', case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true),
          pg_logical_emit_message(true, 'coordination', '');
end $$;

-- Deletes the tokens and fences of deleted leases, and what was seen of them, on a page of each table, chosen at random: with each lease that
-- is created, so that few of them are left. Rows that a transaction has locked stay.
create or replace function @extschema@.lease_sweep() returns void language plpgsql as $$
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

-- Waits, for a second at most, until no other transaction has locked the lease's row. Whoever locks the counter looks here first: with the counter locked
-- there is no time to wait. A row that several have locked together is not recognised, and then the limit of that time counts.
create or replace function @extschema@.lease_await_row(wanted text) returns void language plpgsql as $$
declare
  locker xid;
begin
  for tries in 0..20 loop
    select o.xmax into locker from objects o where o.resource = 'leases.coordination.k8s.io' and o.path = wanted;
    if locker is null or locker = '0' then return; end if;
    perform from pg_locks l where l.locktype = 'transactionid' and l.transactionid = locker and l.granted and l.pid is distinct from pg_backend_pid();
    if not found then return; end if;
    perform pg_sleep(0.05);
  end loop;
  raise exception 'another transaction has locked the row of lease "%"', wanted using errcode = 'lock_not_available', hint = 'Try again later.';
end $$;

-- Raises where nobody may take this lease. `most`: how many leases the caller may make in the namespace.
create or replace function @extschema@.lease_check_acquirable(in_namespace text, lease lease_state, most integer) returns void stable language plpgsql as $$
declare
  terminating boolean;
begin
  select n.terminating into terminating from objects n where n.resource = 'namespaces' and n.path = in_namespace;
  if terminating is null then
    raise exception 'namespace "%" does not exist', in_namespace using errcode = 'undefined_object';
  elsif terminating then
    raise exception 'namespace "%" is being deleted', in_namespace using errcode = 'object_not_in_prerequisite_state';
  elsif coalesce(lease.spec ->> 'strategy', '') <> '' then
    raise exception 'coordinated leader election chooses the holder of this lease' using errcode = 'object_not_in_prerequisite_state';
  elsif lease.revision is null and most <= (
    select count(*) from (
      select from objects o
      where o.resource = 'leases.coordination.k8s.io' and o.path > in_namespace || '/' and o.path < in_namespace || '0'
      limit most
    ) as counted
  ) then
    raise exception 'namespace "%" has % leases already', in_namespace, most using errcode = 'configuration_limit_exceeded';
  end if;
end $$;

-- The terms that a write of lease_write ends and begins, by the rule of the server's writes (lease.resource.ts). They never fail it: the next
-- comparison of terms with leases finds what is missed.
create or replace function @extschema@.lease_write_terms(in_namespace text, in_name text, before lease_state, after lease_state, token bigint, log_segment integer)
returns void language plpgsql as $$
declare
  held constant text := coalesce(before.holder, '');
  -- told of a better holder, a holder lets go or is replaced by it
  preferred constant text := coalesce(before.spec ->> 'preferredHolder', '');
  labels constant text := lease_readable(after.data) #>> '{metadata,labels}';
  last bigint;
begin
  update revision_counter c set value = c.value + 2 where c.segment = log_segment returning c.value into last;
  perform lease_change_terms(last - 2, log_segment, jsonb_build_array(jsonb_build_object(
    'namespace', in_namespace, 'lease', in_name, 'lease_uid', after.uid, 'token', token,
    'reason', case when held = '' then null
                   when preferred not in ('', held) and after.holder in ('', preferred) then 'HandedOver'
                   when after.holder = '' then 'Released'
                   else 'Replaced' end,
    'held_by', left(held, 600), 'held_duration', before.spec ->> 'leaseDurationSeconds',
    'renewed', before.spec ->> 'renewTime', 'expires', lease_expiry(before.spec, before.managed),
    'holder', nullif(left(after.holder, 600), ''), 'duration', after.spec ->> 'leaseDurationSeconds',
    'transitions', after.spec ->> 'leaseTransitions', 'labels', case when length(labels) <= 4096 then labels end)));
exception when others then
  raise warning 'the terms of lease "%/%" could not be recorded: %', in_namespace, in_name, sqlerrm;
end $$;

-- The work of lease_acquire, lease_renew and lease_release, in a transaction that one of them has begun and ends at once; `verb` says which.
-- Refuses every other transaction: only one that a procedure has begun is younger than the statement. And every other caller than
-- lease_commit_write, so that nobody else can keep the counter locked. The second line of the context says who calls: by a statement, a text
-- that the caller chooses is in that line, but by an expression, as there, it has nothing but PostgreSQL's own words and a function's name. That
-- name has its schema, which nobody else's function is in, because lease_commit_write was compiled where it could not be found without. The time
-- with the counter locked is limited, and nothing is sent that a client could refuse to read. To a call by a statement as there, null is answered.
--
-- What is refused writes what was seen, which nobody waits for, and takes no other lock. Otherwise the counter is locked, and the lease written
-- if it still is what was read; else it is read again, and nobody can change it then.
--
-- The commit that holds the counter waits for no disk: lease_commit_write does that afterwards, before it answers, with many others at once
-- (docs/decisions/0049-release-early-flush-together.md). The function that it needs for that, pg_logical_emit_message, has an oid of its own in all versions;
-- where it may not be called, the commit waits itself. So does one without a change, of which the log would say nothing.
create or replace function @extschema@.lease_write(verb text, in_namespace text, in_name text, in_holder text, in_duration interval, in_token bigint,
                            seen bigint, unchanged bigint,
                            out done boolean, out holder text, out token bigint, out expires timestamptz, out revision bigint)
language plpgsql security definer set search_path from current
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off set client_min_messages = warning set timezone = 'UTC' set quote_all_identifiers = off as $$
#variable_conflict use_column
declare
  stack text;
  wanted constant text := in_namespace || '/' || in_name;
  leases constant text := 'leases.coordination.k8s.io';
  seconds integer;
  most integer;
  lease lease_state;
  next lease_state;
  counter record;
  locked boolean := false;
  moment timestamptz;
  was_before boolean;
  durably constant text := case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end;
begin
  get diagnostics stack = pg_context;
  if transaction_timestamp() <= statement_timestamp() or not starts_with(split_part(stack, chr(10), 2),
       left(stack, strpos(stack, 'lease_write(') - 1) || quote_ident(@schema@)
       || '.lease_commit_write(text,text,text,text,interval,bigint,bigint,bigint,boolean,text,bigint,timestamp with time zone,bigint)') then
    if strpos(split_part(stack, chr(10), 2), 'lease_write(verb, ') > 0 then return; end if;
    raise exception 'only lease_acquire, lease_renew and lease_release call lease_write' using errcode = 'invalid_transaction_state';
  end if;
  perform lease_check_namespace(in_namespace), lease_check_name(in_name), lease_check_holder(in_holder);
  if verb = 'acquire' then seconds := lease_seconds(in_duration); end if;
  most := lease_permit(lease_caller(), in_namespace);
  loop
    moment := clock_timestamp();
    select * into lease from lease_at(wanted);
    done := case verb when 'acquire' then coalesce(lease.holder, '') in ('', in_holder) or lease_is_over(wanted, lease, seen, unchanged)
                      else lease.holder is not distinct from in_holder
                           and (in_token is null or lease_term_of(wanted, in_token) is not null) end;
    if not done then
      if locked then stack := set_config('synchronous_commit', durably, true); end if;
      holder := nullif(lease.holder, '');
      expires := lease_expiry(lease.spec, lease.managed);
      revision := lease.revision;
      token := null;
      return;
    end if;
    if verb = 'acquire' then perform lease_check_acquirable(in_namespace, lease, most); end if;
    next := case when verb = 'renew' then lease_renewed(lease, moment) end;
    if next.data is null then next := lease_next(verb, lease, in_namespace, in_name, in_holder, seconds, moment); end if;
    -- Tables that are read before the counter is locked are not waited for afterwards, though somebody else waits to lock them against all others.
    select t.token into token from lease_token t where t.path = wanted and t.term = next.term;
    if not locked then
      perform lease_await_row(wanted);
      select * into counter from lease_revision();
      locked := true;
      -- assigned, because an expression costs less than a statement
      stack := set_config('lock_timeout', '200ms', true);
      -- PostgreSQL has it from version 17 on
      if current_setting('transaction_timeout', true) is not null then stack := set_config('transaction_timeout', '5s', true); end if;
      stack := set_config('synchronous_commit', case when has_function_privilege(3577::oid, 'EXECUTE') then 'off' else durably end, true);
    end if;
    if lease.revision is null then
      with added as (
        insert into objects (resource, path, uid, revision, terminating, data)
        select leases, wanted, next.uid, counter.revision, next.terminating, next.data
        where exists (select from objects n where n.resource = 'namespaces' and n.path = in_namespace and not n.terminating)
        on conflict do nothing returning true
      )
      insert into revision_log (segment, kind, resource, path, uid, revision, terminating, data)
      select counter.segment, 'A', leases, wanted, next.uid, counter.revision, next.terminating, next.data from added;
    else
      was_before := lease.revision <= counter.segment_start;
      with modified as (
        update objects o set revision = counter.revision, data = next.data
        where o.resource = leases and o.path = wanted and o.revision = lease.revision returning true
      )
      insert into revision_log (segment, kind, resource, path, uid, revision, terminating, data, previous_revision,
                                previous_uid, previous_terminating, previous)
      select counter.segment, 'M', leases, wanted, next.uid, counter.revision, next.terminating, next.data, lease.revision,
             case when was_before then lease.uid end, case when was_before then lease.terminating end, case when was_before then lease.data end
      from modified;
    end if;
    exit when found;
  end loop;
  if coalesce(lease.holder, '') <> next.holder then
    perform lease_write_terms(in_namespace, in_name, lease, next, counter.revision, counter.segment);
  end if;
  if verb = 'acquire' then
    token := counter.revision;
    insert into lease_token as t (path, term, token) values (wanted, next.term, counter.revision)
    on conflict (path) do update set term = excluded.term, token = excluded.token;
    if lease.revision is null then
      perform lease_sweep();
    elsif lease.holder <> in_holder then
      -- Contenders write this row without the counter, and flush: whoever does so now is not waited for, and what it says of an earlier
      -- revision counts no longer.
      delete from lease_seen s where s.ctid = any (array(select l.ctid from lease_seen l where l.path = wanted for update skip locked));
    end if;
  elsif verb = 'release' then
    delete from lease_token t where t.path = wanted;
    token := null;
  end if;
  holder := nullif(next.holder, '');
  expires := next.expires;
  revision := counter.revision;
end $$;

drop function if exists @extschema@.lease_write(text, text, text, text, interval, bigint);

-- Creates a namespace as a server would, where none runs; one that exists is left as it is. The transaction is that of lease_create_namespace.
create or replace function @extschema@.lease_put_namespace(in_name text) returns void language plpgsql set search_path from current as $$
declare
  moment constant timestamptz := clock_timestamp();
  uid constant text := gen_random_uuid();
  data constant text := lease_new_data('Namespace', 'v1', in_name, null, uid, format('{"kubernetes.io/metadata.name":"%s"}', in_name),
    '{"f:metadata":{"f:labels":{".":{},"f:kubernetes.io/metadata.name":{}}}}',
    '"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}', moment);
  counter record;
begin
  perform lease_check_namespace(in_name),
          set_config('synchronous_commit', case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true);
  select * into counter from lease_revision();
  insert into objects (resource, path, uid, revision, terminating, data) values ('namespaces', in_name, uid, counter.revision, false, data)
  on conflict do nothing;
  if not found then return; end if;
  insert into revision_log (segment, kind, resource, path, uid, revision, terminating, data)
  values (counter.segment, 'A', 'namespaces', in_name, uid, counter.revision, false, data);
end $$;

revoke all on function lease_revision, lease_await_row, lease_notify, lease_flush, lease_sweep, lease_check_acquirable, lease_write_terms, lease_write,
  lease_put_namespace from public;
