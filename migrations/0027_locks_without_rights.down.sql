select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

create or replace function lease_revision(out revision bigint, out segment integer, out segment_start bigint) language plpgsql as $$
declare
  fresh constant bigint := 1 + (('x' || left(replace(gen_random_uuid()::text, '-', ''), 12))::bit(48)::bigint >> 1);
  newest bigint;
  start bigint;
begin
  lock table lease_writer_queue in exclusive mode;
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

create or replace function lease_grant(grantee regrole, namespace text, most_leases integer default 10000) returns void
language plpgsql set search_path from current as $$
begin
  if namespace is distinct from '*' then perform lease_check_namespace(namespace); end if;
  insert into lease_access as a values (grantee, namespace, most_leases)
  on conflict on constraint lease_access_pkey do update set most_leases = excluded.most_leases;
  execute format('grant usage on schema %I to %s', current_schema(), grantee);
  execute format('grant execute on routine %s to %s', lease_routines(), grantee);
end $$;

do $migration$ begin
  execute replace($procedures$
    create or replace procedure @.lease_leave_transaction() language plpgsql as $$
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
  $procedures$, '@', quote_ident(current_schema()));
end $migration$;

select set_config('search_path', quote_ident(current_schema()), true);
