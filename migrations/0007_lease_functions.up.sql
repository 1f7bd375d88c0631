-- Leases for SQL clients (docs/sql.md, docs/decisions/0025-leases-in-sql.md). The procedures write what a server would have written: the same
-- object, counter, log and notification. Functions see this schema and no other, whatever the caller's search_path is.
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- Which roles may use the leases of which namespaces; `*` stands for all. The functions below create no lease in a namespace that has
-- `most_leases`.
create table lease_access (
  role        regrole not null,
  namespace   text collate "C" not null,
  most_leases integer not null,
  primary key (role, namespace)
);

-- The token of each lease's term that began in SQL. It counts only while the lease is still in that term (lease_term). Written with the
-- counter locked. Rows of deleted leases are removed when others are created.
create table lease_token (
  path  text collate "C" primary key,
  term  text not null,
  token bigint not null
) with (fillfactor = 50);

-- The newest token that a user's transaction has asserted for each lease, and its term. The transactions of one token share the row's lock
-- until they end, and the first one of a newer token waits for them. Nothing that holds the counter waits for such a lock.
create table lease_fence (
  path  text collate "C" primary key,
  term  text not null,
  token bigint not null
) with (fillfactor = 50);

-- What the transactions under way have asserted; each row is deleted at the commit that checks it, so nobody sees another's.
create unlogged table lease_assertion (
  transaction xid8 not null,
  path        text collate "C" not null,
  token       bigint not null,
  primary key (transaction, path, token)
);

-- Lets a role use the leases of a namespace, or of all: `*`. For the owner of this schema.
create function lease_grant(grantee regrole, namespace text, most_leases integer default 10000) returns void
language plpgsql set search_path from current as $$
begin
  if namespace is distinct from '*' then perform lease_check_namespace(namespace); end if;
  insert into lease_access as a values (grantee, namespace, most_leases)
  on conflict on constraint lease_access_pkey do update set most_leases = excluded.most_leases;
  execute format('grant usage on schema %I to %s', current_schema(), grantee);
  execute format('grant execute on routine %s to %s', lease_routines(), grantee);
end $$;

create function lease_revoke(grantee regrole, namespace text) returns void
language plpgsql set search_path from current as $$
begin
  delete from lease_access a where a.role = grantee and a.namespace = lease_revoke.namespace;
  if not exists (select from lease_access a where a.role = grantee) then
    execute format('revoke execute on routine %s from %s', lease_routines(), grantee);
  end if;
end $$;

-- What a granted role may execute, as a list for GRANT.
create function lease_routines() returns text stable language sql set search_path from current as $$
  select string_agg(oid::regprocedure::text, ', ') from pg_proc
  where pronamespace = (select oid from pg_namespace where nspname = current_schema())
    and proname in ('lease_acquire', 'lease_renew', 'lease_release', 'lease_get', 'lease_assert', 'fence', 'lease_write',
                    'lease_leave_transaction', 'lease_commit_refusal')
$$;

-- Whose rights count: the role of SET ROLE, else of the session. In a function of these, current_user is the owner of the schema.
create function lease_caller() returns name stable language sql as $$
  select coalesce(nullif(current_setting('role'), 'none')::name, session_user)
$$;

-- How many leases the caller may make there. Raises 42501 without a grant. The owner of the schema has no limit.
create function lease_permit(caller name, wanted text) returns integer stable language plpgsql as $$
declare
  most integer;
begin
  if pg_has_role(caller, current_user, 'usage') then return 2147483647; end if;
  select max(a.most_leases) into most from lease_access a
  where a.namespace in (wanted, '*') and pg_has_role(caller, a.role, 'usage');
  if most is not null then return most; end if;
  raise exception 'role "%" may not use leases in namespace "%"', caller, wanted
    using errcode = 'insufficient_privilege', hint = format('The owner of the schema may grant it: select %I.lease_grant(%L, %L).',
      current_schema(), quote_ident(caller), wanted);
end $$;

create function lease_check_namespace(given text) returns void immutable language plpgsql as $$
begin
  if length(given) <= 63 and given collate "C" ~ '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' then return; end if;
  raise exception 'invalid namespace "%": it must be a lowercase RFC 1123 label', given using errcode = 'invalid_parameter_value';
end $$;

create function lease_check_name(given text) returns void immutable language plpgsql as $$
begin
  if length(given) <= 253 and given collate "C" ~ '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$' then return; end if;
  raise exception 'invalid lease name "%": it must be a lowercase RFC 1123 subdomain', given using errcode = 'invalid_parameter_value';
end $$;

create function lease_check_holder(given text) returns void immutable language plpgsql as $$
begin
  if length(given) between 1 and 1024 then return; end if;
  raise exception 'invalid holder: it must have 1 to 1024 characters' using errcode = 'invalid_parameter_value';
end $$;

-- Rounded up, so that others never count less than the holder does.
create function lease_seconds(given interval) returns integer immutable language plpgsql as $$
declare
  seconds constant numeric := ceil(extract(epoch from given)::numeric);
begin
  if seconds between 1 and 2147483647 then return seconds; end if;
  raise exception 'invalid duration %: it must be positive, and at most 2147483647 seconds', coalesce(given::text, 'null')
    using errcode = 'invalid_parameter_value';
end $$;

-- A string as the server writes it (src/apimachinery/go/go-string.ts): JSON without `<`, `>`, `&` and the line separators. The backslash is
-- chr(92) because standard_conforming_strings is the caller's.
create function lease_string(given text) returns text stable language sql as $$
  select replace(replace(replace(replace(replace(to_json(given)::text,
    '<', chr(92) || 'u003c'), '>', chr(92) || 'u003e'), '&', chr(92) || 'u0026'),
    chr(8232), chr(92) || 'u2028'), chr(8233), chr(92) || 'u2029')
$$;

create function lease_micro_time(given timestamptz) returns text stable language sql as $$
  select to_char(given at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

create function lease_whole_time(given timestamptz) returns text stable language sql as $$
  select to_char(given at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;

-- One holder's uninterrupted hold of one lease.
create function lease_term(uid text, spec json) returns text stable language sql as $$
  select format('%s %s %s %s', uid, spec ->> 'leaseTransitions', spec ->> 'acquireTime', spec ->> 'holderIdentity')
$$;

-- When a lease expires; null where it names no duration or no time, and so never does. renewTime is by the clock of whoever wrote it. The
-- database's own clock is taken at its word. A client's is not: the server has noted in managedFields when it got the write, in whole
-- seconds, so the write is at most a second younger. Of the two the later one counts, unless the client's clock is off by more than the
-- lease's duration.
create function lease_expiry(spec json, managed json) returns timestamptz stable language plpgsql as $$
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

-- A lease as it stands.
create type lease_state as (
  revision    bigint,
  uid         text,
  terminating boolean,
  data        text,
  spec        json,
  managed     json,
  -- '' for nobody.
  holder      text,
  expires     timestamptz,
  term        text
);

-- No row where there is none.
create function lease_at(wanted text) returns setof lease_state stable language sql as $$
  select o.revision, o.uid, o.terminating, o.data, l.spec, l.managed, coalesce(l.spec ->> 'holderIdentity', ''),
         lease_expiry(l.spec, l.managed), lease_term(o.uid, l.spec)
  from objects o,
       lateral (select o.data::json -> 'spec' as spec, o.data::json #> '{metadata,managedFields}' as managed offset 0) l
  where o.resource = 'leases.coordination.k8s.io' and o.path = wanted
$$;

-- The spec with these values, each as JSON; null leaves a field as it is. In the server's order: what follows leaseTransitions stays behind.
create function lease_spec(old json, holder text, seconds text, acquired text, renewed text, transitions text) returns text
stable language plpgsql as $$
begin
  return (
    select '{' || string_agg(to_json(key)::text || ':' || value, ',' order by at) || '}'
    from (
      select key, coalesce(given, (old -> key)::text) as value, at
      from (values (1, 'holderIdentity', holder), (2, 'leaseDurationSeconds', seconds), (3, 'acquireTime', acquired),
                   (4, 'renewTime', renewed), (5, 'leaseTransitions', transitions)) as field (at, key, given)
      union all
      select key, value::text, 5 + at from json_each(old) with ordinality as field (key, value, at)
      where key not in ('holderIdentity', 'leaseDurationSeconds', 'acquireTime', 'renewTime', 'leaseTransitions')
    ) as fields
    where value is not null
  );
end $$;

-- The elements in fieldsV1 of the fields of the spec that differ.
create function lease_changes(before json, after json) returns text[] stable language plpgsql as $$
begin
  return (
    select coalesce(array_agg('f:' || key), '{}') from json_each(before) as b full join json_each(after) as a using (key)
    where a.value::text is distinct from b.value::text
  );
end $$;

-- fieldsV1 without some elements of the spec, and with others; null where nothing is left. In the server's order.
create function lease_fields(fields json, lost text[], gained text[]) returns text stable language plpgsql as $$
begin
  return (
    with child as (
      select key, value::text as value from json_each(fields -> 'f:spec') where key <> all (lost) or value::text <> '{}'
      union all
      select element, '{}' from unnest(gained) as element
      union all
      -- the spec as a whole
      select '.', '{}' where (fields -> 'f:spec')::text = '{}'
    ), spec as (
      select case when count(*) filter (where key <> '.') = 0 and count(*) > 0 then '{}'
                  else '{' || string_agg(to_json(key)::text || ':' || value, ',' order by key collate "C") || '}' end as value
      from child
    ), part as (
      select key, value::text as value from json_each(fields) where key <> 'f:spec'
      union all
      select 'f:spec', value from spec where value is not null
    )
    select '{' || string_agg(to_json(key)::text || ':' || value, ',' order by key collate "C") || '}' from part
  );
end $$;

-- managedFields after a write of the field manager `coordination-sql` that changed these elements of the spec: it owns them now, and nobody
-- else does (src/apimachinery/managedfields). Null stays null: a client has turned the tracking off.
create function lease_owners(managed json, changed text[], now timestamptz) returns text stable language plpgsql as $$
begin
  return (
    with entry as (
      select value as entry,
             value ->> 'manager' = 'coordination-sql' and value ->> 'operation' = 'Update'
               and value ->> 'apiVersion' = 'coordination.k8s.io/v1' and value ->> 'subresource' is null as own
      from json_array_elements(managed)
    ), owner as (
      select coalesce(entry ->> 'operation', '') as operation, coalesce(entry ->> 'time', '') as time,
             coalesce(entry ->> 'manager', '') as manager, coalesce(entry ->> 'apiVersion', '') as version,
             coalesce(entry ->> 'subresource', '') as subresource,
             '{' || (select string_agg(to_json(key)::text || ':' || case key when 'fieldsV1' then fields else value::text end, ',' order by at)
                     from json_each(entry) with ordinality as member (key, value, at)) || '}' as text
      from entry, lateral (select lease_fields(entry -> 'fieldsV1', changed, '{}') as fields) as left_over
      where not own and fields is not null
      union all
      select 'Update', lease_whole_time(now), 'coordination-sql', 'coordination.k8s.io/v1', '',
             format('{"manager":"coordination-sql","operation":"Update","apiVersion":"coordination.k8s.io/v1","time":"%s",'
                 '"fieldsType":"FieldsV1","fieldsV1":%s}',
               lease_whole_time(now), lease_fields((select entry -> 'fieldsV1' from entry where own limit 1), changed, changed))
    )
    select '[' || string_agg(text, ',' order by operation collate "C", time collate "C", manager collate "C", version collate "C",
                                               subresource collate "C") || ']'
    from owner where managed is not null
  );
end $$;

-- The stored object with another spec, and with what follows from it in its metadata.
create function lease_data(old json, spec text, owners text) returns text stable language plpgsql as $$
begin
  return (
    with changed as (
      select string_agg(to_json(key)::text || ':' || case key when 'managedFields' then owners else value::text end, ',' order by at) as metadata
      from json_each(old -> 'metadata') with ordinality as member (key, value, at)
    )
    select '{' || string_agg(to_json(key)::text || ':' || case key when 'spec' then spec
                                                                  when 'metadata' then '{' || metadata || '}'
                                                                  else value::text end, ',' order by at) || '}'
    from json_each(old) with ordinality as member (key, value, at), changed
  );
end $$;

-- A new object's. `fields` and `rest` are JSON: fieldsV1, and what follows the metadata.
create function lease_new_data(kind text, version text, name text, namespace text, uid text, labels text, fields text, rest text,
                               now timestamptz) returns text stable language plpgsql as $$
begin
  return format('{"kind":"%s","apiVersion":"%s","metadata":{"name":"%s",%s"uid":"%s","creationTimestamp":"%s",%s"managedFields":[{'
      '"manager":"coordination-sql","operation":"Update","apiVersion":"%s","time":"%s","fieldsType":"FieldsV1","fieldsV1":%s}]},%s}',
    kind, version, name, '"namespace":"' || namespace || '",', uid, lease_whole_time(now), '"labels":' || labels || ',',
    version, lease_whole_time(now), fields, rest);
end $$;

-- Takes the next revision, and locks the counter until the transaction ends, as a batch of the server's does
-- (src/storage/postgres/write/batch-sql.ts). Where the counter was written last by another run of PostgreSQL, or in other files, a lineage
-- begins first (src/storage/postgres/lineage/begin-lineage.ts).
create function lease_revision(out revision bigint, out segment integer, out segment_start bigint) language plpgsql as $$
declare
  fresh constant bigint := 1 + (('x' || left(replace(gen_random_uuid()::text, '-', ''), 12))::bit(48)::bigint >> 1);
  newest bigint;
  start bigint;
begin
  loop
    update revision_counter c set value = c.value + 1
    where c.server_started = pg_postmaster_start_time() and c.counter_file = pg_relation_filepath(c.tableoid)
    returning c.value, c.segment, c.segment_start into revision, segment, segment_start;
    if found then return; end if;
    select c.value into strict newest from revision_counter c for update;
    update revision_counter c
    set value = case when c.lineage = 0 and c.value = 1000 then c.value
                     when clock.micros > c.value then clock.micros
                     else c.value + 1000000000 end,
        lineage = fresh, server_started = pg_postmaster_start_time(), counter_file = pg_relation_filepath(c.tableoid)
    from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as micros) as clock
    where c.server_started <> pg_postmaster_start_time() or c.counter_file <> pg_relation_filepath(c.tableoid)
    returning c.value into start;
    if found then insert into revision_lineage (id, ended, began) values (fresh, newest, start); end if;
  end loop;
end $$;

-- Full notification queues refuse commits; servers find the change by polling then.
create function lease_notify() returns void language sql as $$
  select pg_notify(case when current_schema() <> 'public' and current_schema() ~ '^[a-z0-9_]{1,42}$'
                        then 'coordination_changes_' || current_schema() else 'coordination_changes' end, '')
  where pg_notification_queue_usage() < 0.9
$$;

-- Deletes the tokens and fences of deleted leases on a page of each table, chosen at random: with each lease that is created, so that
-- few of them are left. Fences that a transaction has locked stay.
create function lease_sweep() returns void language plpgsql as $$
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

-- The term of a lease if this token belongs to it: any resourceVersion at which the lease named its present holder, but not one before a
-- token that SQL has given out or asserted since. Null otherwise, also where the log is too short to tell.
create function lease_term_of(wanted text, of_token bigint) returns text language plpgsql as $$
declare
  lease lease_state;
  known bigint;
  term text;
begin
  select * into lease from lease_at(wanted);
  if not found or lease.holder = '' or of_token > lease.revision then return null; end if;
  select t.token into known from lease_token t where t.path = wanted and t.term = lease.term;
  if not found then select f.token into known from lease_fence f where f.path = wanted and f.term = lease.term; end if;
  if known <= of_token or of_token = lease.revision then return lease.term; end if;
  if known is not null then return null; end if;
  begin
    select lease_term(l.uid, l.data::json -> 'spec') into term from revision_log l
    where l.resource = 'leases.coordination.k8s.io' and l.path = wanted and l.revision = of_token;
    -- releases the locks on the log's partitions: compaction would wait for the end of the user's transaction
    raise sqlstate 'LS000';
  exception when sqlstate 'LS000' then null;
  end;
  return case when term = lease.term then term end;
end $$;

-- Raises where nobody may take this lease. `most`: how many leases the caller may make in the namespace.
create function lease_check_acquirable(in_namespace text, lease lease_state, most integer) returns void stable language plpgsql as $$
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

-- What this write leaves, with the spec that client-go would write: who takes a lease that he holds goes on with his term, and a release
-- leaves a lease of one second that names nobody.
create function lease_next(verb text, lease lease_state, in_namespace text, in_name text, in_holder text, seconds integer,
                           moment timestamptz) returns lease_state language plpgsql as $$
declare
  begins constant boolean := verb = 'acquire' and lease.holder is distinct from in_holder;
  released constant boolean := verb = 'release';
  time constant text := '"' || lease_micro_time(moment) || '"';
  transitions constant bigint := case when lease.revision is null then 0
                                      else coalesce((lease.spec ->> 'leaseTransitions')::bigint, 0) + 1 end;
  spec constant text := lease_spec(lease.spec, case when released then '""' when begins then lease_string(in_holder) end,
    case when released then '1' else seconds::text end, case when released or begins then time end, time,
    case when begins then least(transitions, 2147483647)::text end);
  changes constant text[] := lease_changes(lease.spec, spec::json);
begin
  if lease.revision is null then
    lease.uid := gen_random_uuid();
    lease.terminating := false;
    lease.data := lease_new_data('Lease', 'coordination.k8s.io/v1', in_name, in_namespace, lease.uid, null,
      lease_fields(null, '{}', changes), '"spec":' || spec, moment);
  else
    lease.data := lease_data(lease.data::json, spec, lease_owners(lease.managed, changes, moment));
  end if;
  lease.spec := spec;
  lease.holder := lease.spec ->> 'holderIdentity';
  lease.expires := lease_expiry(lease.spec, null);
  lease.term := lease_term(lease.uid, lease.spec);
  return lease;
end $$;

-- The work of lease_acquire, lease_renew and lease_release, in a transaction that one of them has begun and ends at once; `verb` says which.
-- Refuses every other transaction: only one that a procedure has begun is younger than the statement.
--
-- What is refused takes no lock. Otherwise the counter is locked, and the lease written if it still is what was read; else it is read again,
-- and nobody can change it then.
create function lease_write(verb text, in_namespace text, in_name text, in_holder text, in_duration interval, in_token bigint,
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

-- What is known of a lease, by the database's clock. No row where there is none. `token`: of the term, if that began in SQL.
create function lease_get(in_namespace text, in_name text)
returns table (holder text, held boolean, token bigint, acquired timestamptz, renewed timestamptz, expires timestamptz,
               transitions integer, revision bigint)
language plpgsql stable security definer set search_path from current
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off as $$
begin
  perform lease_permit(lease_caller(), in_namespace);
  return query
    select nullif(l.holder, ''), l.holder <> '' and coalesce(l.expires > clock_timestamp(), true), t.token,
           lease_time(l.spec ->> 'acquireTime'), lease_time(l.spec ->> 'renewTime'), l.expires,
           (l.spec ->> 'leaseTransitions')::integer, l.revision
    from lease_at(in_namespace || '/' || in_name) l
    left join lease_token t on t.path = in_namespace || '/' || in_name and t.term = l.term;
end $$;

create function lease_refuse_token(wanted text, of_token bigint) returns void language plpgsql as $$
begin
  raise exception 'the fencing token % of lease "%" is stale: somebody else may hold it now', of_token, wanted using errcode = 'LS001';
end $$;

-- Lets the caller's transaction write under a token. It then commits only if the lease is in the token's term at that moment, and until it
-- ends no transaction passes here with a newer token.
create function lease_enter(wanted text, of_token bigint) returns void language plpgsql as $$
declare
  fence bigint;
  entered text;
begin
  if of_token is null then raise exception 'lease "%": the fencing token is null', wanted using errcode = 'null_value_not_allowed'; end if;
  if exists (select from lease_assertion a where a.transaction = pg_current_xact_id() and a.path = wanted and a.token = of_token) then
    return;
  end if;
  -- later snapshots of the same transaction would not see a takeover
  if current_setting('transaction_isolation') not like 'read %' then
    raise exception 'a fencing token is checked in read committed transactions only' using errcode = 'feature_not_supported';
  end if;
  loop
    select f.token into fence from lease_fence f where f.path = wanted;
    if fence = of_token then
      perform from lease_fence f where f.path = wanted and f.token = of_token for share;
    else
      entered := case when coalesce(fence < of_token, true) then lease_term_of(wanted, of_token) end;
      if entered is null then perform lease_refuse_token(wanted, of_token); end if;
      if fence is null then
        insert into lease_fence (path, term, token) values (wanted, entered, of_token) on conflict do nothing;
      else
        update lease_fence f set term = entered, token = of_token where f.path = wanted and f.token < of_token;
      end if;
    end if;
    exit when found;
  end loop;
  -- it may have been taken while this waited for the fence
  if lease_term_of(wanted, of_token) is null then perform lease_refuse_token(wanted, of_token); end if;
  insert into lease_assertion values (pg_current_xact_id(), wanted, of_token);
end $$;

create function lease_check_assertion() returns trigger language plpgsql security definer set search_path from current
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off as $$
begin
  delete from lease_assertion a where a.transaction = new.transaction and a.path = new.path and a.token = new.token;
  if lease_term_of(new.path, new.token) is null then perform lease_refuse_token(new.path, new.token); end if;
  return null;
end $$;

create constraint trigger lease_check_assertion after insert on lease_assertion deferrable initially deferred
for each row execute function lease_check_assertion();

-- For a user's transaction: from here on it is fenced by the token, and fails at its commit if another term has begun.
create function lease_assert(namespace text, name text, token bigint) returns void
language plpgsql security definer set search_path from current
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off as $$
begin
  perform lease_permit(lease_caller(), namespace);
  perform lease_enter(namespace || '/' || name, token);
end $$;

-- For a user's table, `before insert or update or delete ... for each row`: fence('namespace/name' [, column]). Each row that is written
-- carries the token under which it is written. It asserts that token, and the column never goes back. A deletion carries none, so its
-- transaction must have called lease_assert. The rights are those of the table's owner.
create function fence() returns trigger language plpgsql security definer set search_path from current
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  lease constant text := tg_argv[0];
  name constant text := coalesce(tg_argv[1], 'token');
  given bigint;
  before bigint;
begin
  if tg_when <> 'BEFORE' or tg_level <> 'ROW' or split_part(lease, '/', 2) = '' then
    raise exception 'fence is for triggers "before insert or update or delete for each row", with an argument ''namespace/name'''
      using errcode = 'trigger_protocol_violated';
  end if;
  perform lease_permit(pg_get_userbyid(c.relowner), split_part(lease, '/', 1)) from pg_class c where c.oid = tg_relid;
  if tg_op = 'DELETE' then
    if exists (select from lease_assertion a where a.transaction = pg_current_xact_id() and a.path = lease) then return old; end if;
    raise exception 'rows fenced by lease "%" are deleted after lease_assert only', lease using errcode = 'LS001';
  end if;
  execute format('select ($1).%I::bigint', name) using new into given;
  if tg_op = 'UPDATE' then
    execute format('select ($1).%I::bigint', name) using old into before;
    if given < before then perform lease_refuse_token(lease, given); end if;
  end if;
  perform lease_enter(lease, given);
  return new;
end $$;

-- Creates a namespace as a server would, where none runs; one that exists is left as it is. The transaction is that of lease_create_namespace.
create function lease_put_namespace(in_name text) returns void language plpgsql set search_path from current as $$
declare
  moment constant timestamptz := clock_timestamp();
  uid constant text := gen_random_uuid();
  data constant text := lease_new_data('Namespace', 'v1', in_name, null, uid, format('{"kubernetes.io/metadata.name":"%s"}', in_name),
    '{"f:metadata":{"f:labels":{".":{},"f:kubernetes.io/metadata.name":{}}}}',
    '"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}', moment);
  counter record;
begin
  perform lease_check_namespace(in_name);
  select * into counter from lease_revision();
  insert into objects (resource, path, uid, revision, terminating, data) values ('namespaces', in_name, uid, counter.revision, false, data)
  on conflict do nothing;
  if not found then return; end if;
  insert into revision_log (segment, kind, resource, path, uid, revision, terminating, data)
  values (counter.segment, 'A', 'namespaces', in_name, uid, counter.revision, false, data);
  perform lease_notify();
end $$;

-- The text of the error with which PostgreSQL refuses a COMMIT in a transaction that its caller began; it depends on lc_messages.
create function lease_commit_refusal() returns text language plpgsql as $$
declare
  said text;
begin
  commit;
  return null;
exception when invalid_transaction_termination then
  get stacked diagnostics said = message_text;
  return said;
end $$;

-- The procedures that clients call. They run as the caller and begin by ending his transaction, which PostgreSQL refuses where it is his to
-- end; so whatever lease_write locks is held for one commit, whoever calls. A procedure that commits can have no search_path of its own.
do $migration$ begin
  execute replace($procedures$
    create procedure @.lease_leave_transaction() language plpgsql as $$
    declare
      said text;
      tries integer := 0;
    begin
      -- refused in any case: within this block for another reason than in a transaction of the caller's
      begin
        commit;
      exception when invalid_transaction_termination then
        get stacked diagnostics said = message_text;
      end;
      if said = @.lease_commit_refusal() then
        raise exception 'leases are written outside of transactions only' using errcode = 'invalid_transaction_termination',
          hint = 'Call it in autocommit mode, as a statement of its own.';
      end if;
      commit;
      set transaction isolation level read committed;
      while transaction_timestamp() <= statement_timestamp() and tries < 1000 loop
        tries := tries + 1;
        commit;
        set transaction isolation level read committed;
      end loop;
    end $$;

    create procedure @.lease_acquire(namespace text, name text, inout holder text, duration interval,
      inout acquired boolean default null, inout token bigint default null, inout expires timestamptz default null)
    language plpgsql as $$
    begin
      call @.lease_leave_transaction();
      select w.done, w.holder, w.token, w.expires into acquired, holder, token, expires
      from @.lease_write('acquire', namespace, name, holder, duration, null) w;
      commit;
    end $$;

    create procedure @.lease_renew(namespace text, name text, inout holder text,
      inout token bigint default null, inout renewed boolean default null, inout expires timestamptz default null)
    language plpgsql as $$
    begin
      call @.lease_leave_transaction();
      select w.done, w.holder, w.token, w.expires into renewed, holder, token, expires
      from @.lease_write('renew', namespace, name, holder, null, token) w;
      commit;
    end $$;

    create procedure @.lease_release(namespace text, name text, inout holder text,
      token bigint default null, inout released boolean default null)
    language plpgsql as $$
    begin
      call @.lease_leave_transaction();
      select w.done, w.holder into released, holder
      from @.lease_write('release', namespace, name, holder, null, token) w;
      commit;
    end $$;

    create procedure @.lease_create_namespace(name text) language plpgsql as $$
    begin
      call @.lease_leave_transaction();
      perform @.lease_put_namespace(name);
      commit;
    end $$;
  $procedures$, '@', quote_ident(current_schema()));
end $migration$;

-- Nobody else may execute anything of this before lease_grant.
do $$ declare
  routine regprocedure;
begin
  for routine in
    select oid from pg_proc
    where pronamespace = (select oid from pg_namespace where nspname = current_schema())
      and proname = any ('{fence, lease_acquire, lease_assert, lease_at, lease_caller, lease_changes,
      lease_check_acquirable, lease_check_assertion, lease_check_holder, lease_check_name, lease_check_namespace, lease_commit_refusal,
      lease_create_namespace, lease_data, lease_enter, lease_expiry, lease_fields, lease_get, lease_grant, lease_leave_transaction,
      lease_micro_time, lease_new_data, lease_next, lease_notify, lease_owners, lease_permit, lease_put_namespace, lease_refuse_token,
      lease_release, lease_renew, lease_revision, lease_revoke, lease_routines, lease_seconds, lease_spec, lease_string, lease_sweep,
      lease_term, lease_term_of, lease_whole_time, lease_write}')
  loop
    execute format('revoke all on routine %s from public', routine);
  end loop;
end $$;

select set_config('search_path', quote_ident(current_schema()), true);
