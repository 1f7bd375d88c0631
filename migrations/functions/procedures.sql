-- The procedures that clients call. They run as the caller and begin by ending his transaction, so whatever lease_write locks is held for
-- one commit, whoever calls. A procedure that commits can have no search_path of its own, so all names have their schema, and touches no table.

-- The text of the error with which PostgreSQL refuses a COMMIT in a transaction that its caller began; it depends on lc_messages.
create or replace function @extschema@.lease_commit_refusal() returns text language plpgsql as $$
declare
  said text;
begin
  commit;
  return null;
exception when invalid_transaction_termination then
  get stacked diagnostics said = message_text;
  return said;
end $$;

-- Ends the caller's transaction, which PostgreSQL refuses where it is his to end, and begins one that is younger than the statement.
create or replace procedure @extschema@.lease_leave_transaction() language plpgsql as $$
declare
  said text;
begin
  -- refused in any case: within this block for another reason than in a transaction of the caller's
  begin
    commit;
  exception when invalid_transaction_termination then
    get stacked diagnostics said = message_text;
  end;
  if said = @extschema@.lease_commit_refusal() then
    raise exception 'leases are written outside of transactions only' using errcode = 'invalid_transaction_termination',
      hint = 'Call it in autocommit mode, as a statement of its own.';
  end if;
  for tries in 0..1000 loop
    commit;
    set transaction isolation level read committed;
    exit when transaction_timestamp() > statement_timestamp();
  end loop;
  -- lease_write reads the name of its caller, which must have no more quotes than it needs
  set local quote_all_identifiers = off;
  set local search_path = pg_catalog, pg_temp;
end $$;

-- What the procedures have in common: the write, its commit, and the wait until it is on disk, with all that the answer rests on. Whoever calls it, nothing happens between the two; and nothing of his is left for
-- that commit, such as deferred triggers and queries of cursors: whatever transaction he has begun ends here before anything is locked. A session that was cancelled
-- while it ran an expression for the first time runs it as a statement ever after, which lease_write refuses: then another expression takes its place.
create or replace procedure @extschema@.lease_commit_write(verb text, in_namespace text, in_name text, in_holder text,
  in_duration interval, in_token bigint, seen bigint, unchanged bigint, inout done boolean, inout holder text, inout token bigint,
  inout expires timestamptz, inout revision bigint)
language plpgsql as $$
declare
  written record;
begin
  commit;
  set transaction isolation level read committed;
  written := @extschema@.lease_write(verb, in_namespace, in_name, in_holder, in_duration, in_token, seen, unchanged);
  if written.done is null then
    written := @extschema@.lease_write(verb::text, in_namespace, in_name, in_holder, in_duration, in_token, seen, unchanged);
  end if;
  commit;
  if written.done then
    perform @extschema@.lease_notify();
    commit;
  end if;
  perform @extschema@.lease_flush(written.done);
  commit;
  done := written.done;
  holder := written.holder;
  token := written.token;
  expires := written.expires;
  revision := written.revision;
end $$;

create or replace procedure @extschema@.lease_acquire(namespace text, name text, inout holder text, duration interval,
  inout acquired boolean default null, inout token bigint default null, inout expires timestamptz default null)
language plpgsql as $$
declare
  revision bigint;
begin
  call @extschema@.lease_leave_transaction();
  call @extschema@.lease_commit_write('acquire', namespace, name, holder, duration, null, null, null, acquired, holder, token, expires, revision);
end $$;

-- For contenders with a clock that no correction of the time touches: the lease has been at the revision `seen` for that long. Answers the revision
-- that it is at.
create or replace procedure @extschema@.lease_acquire(namespace text, name text, inout holder text, duration interval,
  inout seen bigint, unchanged_ms bigint,
  inout acquired boolean default null, inout token bigint default null, inout expires timestamptz default null)
language plpgsql as $$
begin
  call @extschema@.lease_leave_transaction();
  call @extschema@.lease_commit_write('acquire', namespace, name, holder, duration, null, seen, coalesce(unchanged_ms, 0), acquired, holder, token,
                                      expires, seen);
end $$;

create or replace procedure @extschema@.lease_renew(namespace text, name text, inout holder text,
  inout token bigint default null, inout renewed boolean default null, inout expires timestamptz default null)
language plpgsql as $$
declare
  revision bigint;
begin
  call @extschema@.lease_leave_transaction();
  call @extschema@.lease_commit_write('renew', namespace, name, holder, null, token, null, null, renewed, holder, token, expires, revision);
end $$;

create or replace procedure @extschema@.lease_release(namespace text, name text, inout holder text,
  token bigint default null, inout released boolean default null)
language plpgsql as $$
declare
  expires timestamptz;
  revision bigint;
begin
  call @extschema@.lease_leave_transaction();
  call @extschema@.lease_commit_write('release', namespace, name, holder, null, token, null, null, released, holder, token, expires, revision);
end $$;

create or replace procedure @extschema@.lease_create_namespace(name text) language plpgsql as $$
begin
  call @extschema@.lease_leave_transaction();
  perform @extschema@.lease_put_namespace(name);
  commit;
  perform @extschema@.lease_notify();
  commit;
end $$;

-- For calls that are under way while the procedures of an earlier state are replaced: they would find it gone.
create or replace procedure @extschema@.lease_commit_write(verb text, in_namespace text, in_name text, in_holder text,
  in_duration interval, in_token bigint, inout done boolean, inout holder text, inout token bigint, inout expires timestamptz)
language plpgsql as $$
declare
  revision bigint;
begin
  call @extschema@.lease_commit_write(verb, in_namespace, in_name, in_holder, in_duration, in_token, null, null, done, holder, token, expires, revision);
end $$;

revoke all on function lease_commit_refusal from public;
revoke all on procedure lease_leave_transaction, lease_commit_write(text, text, text, text, interval, bigint, boolean, text, bigint, timestamptz),
  lease_commit_write(text, text, text, text, interval, bigint, bigint, bigint, boolean, text, bigint, timestamptz, bigint), lease_acquire(text, text, text, interval, boolean, bigint, timestamptz),
  lease_acquire(text, text, text, interval, bigint, bigint, boolean, bigint, timestamptz), lease_renew, lease_release, lease_create_namespace from public;

-- Whoever has a grant may execute what is new, too.
do $$ declare
  one record;
begin
  for one in select distinct a.role from lease_access a join pg_roles r on r.oid = a.role loop
    execute format('grant execute on routine %s to %s', lease_routines(), one.role);
  end loop;
end $$;
