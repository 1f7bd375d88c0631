-- Nobody but a procedure that ends its transaction can lock the revision counter: before, a role with lease_grant could call lease_write in a
-- procedure of its own, and every writer waited until that one ended. And U+0000 in a lease, which PostgreSQL's text does not have, is no error.
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- A stored object, with U+FFFD where it has U+0000: without that, PostgreSQL refuses to read anything of it. In this form, unlike any that the
-- server stores, so that lease_as_stored finds it.
create function lease_readable(data text) returns json immutable language sql as $$
  select case when strpos(data, chr(92) || 'u0000') = 0 then data::json
              else regexp_replace(data, '(?<![\x5c])((?:[\x5c]{2})*)[\x5c]u0000', concat(chr(92), '1', chr(92), chr(92), 'ufffd'), 'g')::json end
$$;

-- The reverse.
create function lease_as_stored(data text) returns text immutable language sql as $$
  select case when strpos(data, chr(92) || 'ufffd') = 0 then data
              else regexp_replace(data, '(?<![\x5c])((?:[\x5c]{2})*)[\x5c]ufffd', concat(chr(92), '1', chr(92), chr(92), 'u0000'), 'g') end
$$;

-- As before, of such a lease too.
create or replace function lease_at(wanted text) returns setof lease_state stable language sql as $$
  select o.revision, o.uid, o.terminating, o.data, l.spec, l.managed, coalesce(l.spec ->> 'holderIdentity', ''),
         lease_expiry(l.spec, l.managed), lease_term(o.uid, l.spec)
  from objects o,
       lateral (select d.lease -> 'spec' as spec, d.lease #> '{metadata,managedFields}' as managed
                from (select lease_readable(o.data) as lease offset 0) d offset 0) l
  where o.resource = 'leases.coordination.k8s.io' and o.path = wanted
$$;

-- As before.
create or replace function lease_next(verb text, lease lease_state, in_namespace text, in_name text, in_holder text, seconds integer,
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
    lease.data := lease_as_stored(lease_data(lease_readable(lease.data), spec, lease_owners(lease.managed, changes, moment)));
  end if;
  lease.spec := spec;
  lease.holder := lease.spec ->> 'holderIdentity';
  lease.expires := lease_expiry(lease.spec, null);
  lease.term := lease_term(lease.uid, lease.spec);
  return lease;
end $$;

-- As before.
create or replace function lease_term_of(wanted text, of_token bigint) returns text language plpgsql as $$
declare
  lease lease_state;
  given bigint;
  asserted bigint;
  term text;
begin
  select * into lease from lease_at(wanted);
  if not found or lease.holder = '' or of_token > lease.revision then return null; end if;
  select t.token into given from lease_token t where t.path = wanted and t.term = lease.term;
  select f.token into asserted from lease_fence f where f.path = wanted and f.term = lease.term;
  if of_token in (given, lease.revision) then return lease.term; end if;
  if of_token < greatest(given, asserted) then return null; end if;
  if of_token = asserted then return lease.term; end if;
  begin
    select lease_term(l.uid, lease_readable(l.data) -> 'spec') into term from revision_log l
    where l.resource = 'leases.coordination.k8s.io' and l.path = wanted and l.revision = of_token;
    -- releases the locks on the log's partitions: compaction would wait for the end of the user's transaction
    raise sqlstate 'LS000';
  exception when sqlstate 'LS000' then null;
  end;
  return case when term = lease.term then term end;
end $$;

-- As before.
create or replace function lease_write_terms(in_namespace text, in_name text, before lease_state, after lease_state, token bigint, log_segment integer)
returns void language plpgsql as $$
declare
  held constant text := coalesce(before.holder, '');
  -- told of a better holder, a holder lets go or is replaced by it
  preferred constant text := coalesce(before.spec ->> 'preferredHolder', '');
  labels constant text := lease_readable(after.data) #>> '{metadata,labels}';
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

-- As before, for lease_commit_write alone. The second line of the context says who calls: by a statement, a text that the caller chooses is in
-- that line, but by an expression, as there, it has nothing but PostgreSQL's own words and a function's name. That name has its schema, which
-- nobody else's function is in, because lease_commit_write was compiled where it could not be found without. What the counter is locked for
-- is limited, and sends nothing that a client could refuse to read.
create or replace function lease_write(verb text, in_namespace text, in_name text, in_holder text, in_duration interval, in_token bigint,
                            out done boolean, out holder text, out token bigint, out expires timestamptz)
language plpgsql security definer set search_path from current
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off set client_min_messages = warning as $$
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
begin
  get diagnostics stack = pg_context;
  if transaction_timestamp() <= statement_timestamp() or not starts_with(split_part(stack, chr(10), 2),
       left(stack, strpos(stack, 'lease_write(') - 1) || quote_ident(current_schema())
       || '.lease_commit_write(text,text,text,text,interval,bigint,boolean,text,bigint,timestamp with time zone)') then
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
      -- PostgreSQL has it from version 17 on
      if current_setting('transaction_timeout', true) is not null then perform set_config('transaction_timeout', '5s', true); end if;
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

-- What the procedures have in common: the write, and its commit. Whoever calls it, nothing happens between the two.
do $migration$ begin
  execute replace($procedures$
    create procedure @.lease_commit_write(verb text, in_namespace text, in_name text, in_holder text, in_duration interval, in_token bigint,
      inout done boolean, inout holder text, inout token bigint, inout expires timestamptz) language plpgsql as $$
    declare
      written record;
    begin
      written := @.lease_write(verb, in_namespace, in_name, in_holder, in_duration, in_token);
      commit;
      done := written.done;
      holder := written.holder;
      token := written.token;
      expires := written.expires;
    end $$;

    create or replace procedure @.lease_acquire(namespace text, name text, inout holder text, duration interval,
      inout acquired boolean default null, inout token bigint default null, inout expires timestamptz default null)
    language plpgsql as $$
    begin
      call @.lease_leave_transaction();
      set local search_path = pg_catalog, pg_temp;
      call @.lease_commit_write('acquire', namespace, name, holder, duration, null, acquired, holder, token, expires);
    end $$;

    create or replace procedure @.lease_renew(namespace text, name text, inout holder text,
      inout token bigint default null, inout renewed boolean default null, inout expires timestamptz default null)
    language plpgsql as $$
    begin
      call @.lease_leave_transaction();
      set local search_path = pg_catalog, pg_temp;
      call @.lease_commit_write('renew', namespace, name, holder, null, token, renewed, holder, token, expires);
    end $$;

    create or replace procedure @.lease_release(namespace text, name text, inout holder text,
      token bigint default null, inout released boolean default null)
    language plpgsql as $$
    declare
      no_token bigint;
      no_time timestamptz;
    begin
      call @.lease_leave_transaction();
      set local search_path = pg_catalog, pg_temp;
      call @.lease_commit_write('release', namespace, name, holder, null, token, released, holder, no_token, no_time);
    end $$;
  $procedures$, '@', quote_ident(current_schema()));
end $migration$;

create or replace function lease_routines() returns text stable language sql set search_path from current as $$
  select string_agg(oid::regprocedure::text, ', ') from pg_proc
  where pronamespace = (select oid from pg_namespace where nspname = current_schema())
    and proname in ('lease_acquire', 'lease_renew', 'lease_release', 'lease_get', 'lease_assert', 'fence', 'lease_write',
                    'lease_commit_write', 'lease_leave_transaction', 'lease_commit_refusal')
$$;

revoke all on function lease_readable, lease_as_stored from public;
revoke all on procedure lease_commit_write from public;
do $$ declare
  grantee regrole;
begin
  for grantee in select distinct role from lease_access loop
    execute format('grant execute on procedure lease_commit_write to %s', grantee);
  end loop;
end $$;

select set_config('search_path', quote_ident(current_schema()), true);
