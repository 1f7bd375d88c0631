select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

create or replace function lease_at(wanted text) returns setof lease_state stable language sql as $$
  select o.revision, o.uid, o.terminating, o.data, l.spec, l.managed, coalesce(l.spec ->> 'holderIdentity', ''),
         lease_expiry(l.spec, l.managed), lease_term(o.uid, l.spec)
  from objects o,
       lateral (select o.data::json -> 'spec' as spec, o.data::json #> '{metadata,managedFields}' as managed offset 0) l
  where o.resource = 'leases.coordination.k8s.io' and o.path = wanted
$$;

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
    lease.data := lease_data(lease.data::json, spec, lease_owners(lease.managed, changes, moment));
  end if;
  lease.spec := spec;
  lease.holder := lease.spec ->> 'holderIdentity';
  lease.expires := lease_expiry(lease.spec, null);
  lease.term := lease_term(lease.uid, lease.spec);
  return lease;
end $$;

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
    select lease_term(l.uid, l.data::json -> 'spec') into term from revision_log l
    where l.resource = 'leases.coordination.k8s.io' and l.path = wanted and l.revision = of_token;
    -- releases the locks on the log's partitions: compaction would wait for the end of the user's transaction
    raise sqlstate 'LS000';
  exception when sqlstate 'LS000' then null;
  end;
  return case when term = lease.term then term end;
end $$;

create or replace function lease_write_terms(in_namespace text, in_name text, before lease_state, after lease_state, token bigint, log_segment integer)
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

do $migration$ begin
  execute replace($procedures$
    create or replace procedure @.lease_acquire(namespace text, name text, inout holder text, duration interval,
      inout acquired boolean default null, inout token bigint default null, inout expires timestamptz default null)
    language plpgsql as $$
    begin
      call @.lease_leave_transaction();
      select w.done, w.holder, w.token, w.expires into acquired, holder, token, expires
      from @.lease_write('acquire', namespace, name, holder, duration, null) w;
      commit;
    end $$;

    create or replace procedure @.lease_renew(namespace text, name text, inout holder text,
      inout token bigint default null, inout renewed boolean default null, inout expires timestamptz default null)
    language plpgsql as $$
    begin
      call @.lease_leave_transaction();
      select w.done, w.holder, w.token, w.expires into renewed, holder, token, expires
      from @.lease_write('renew', namespace, name, holder, null, token) w;
      commit;
    end $$;

    create or replace procedure @.lease_release(namespace text, name text, inout holder text,
      token bigint default null, inout released boolean default null)
    language plpgsql as $$
    begin
      call @.lease_leave_transaction();
      select w.done, w.holder into released, holder
      from @.lease_write('release', namespace, name, holder, null, token) w;
      commit;
    end $$;
  $procedures$, '@', quote_ident(current_schema()));
end $migration$;

create or replace function lease_routines() returns text stable language sql set search_path from current as $$
  select string_agg(oid::regprocedure::text, ', ') from pg_proc
  where pronamespace = (select oid from pg_namespace where nspname = current_schema())
    and proname in ('lease_acquire', 'lease_renew', 'lease_release', 'lease_get', 'lease_assert', 'fence', 'lease_write',
                    'lease_leave_transaction', 'lease_commit_refusal')
$$;

drop procedure lease_commit_write;
drop function lease_readable, lease_as_stored;

select set_config('search_path', quote_ident(current_schema()), true);
