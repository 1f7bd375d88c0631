-- Fencing tokens in users' transactions (docs/sql.md).

-- The term of a lease if this token belongs to it: the token that SQL gave out last, or any resourceVersion at which the lease named its
-- present holder, but not one before that token or before one that was asserted. A number in between is no token: it may belong to another
-- lease, or to a write that was lost in a failover. Null otherwise, also where the log is too short to tell.
create or replace function @extschema@.lease_term_of(wanted text, of_token bigint) returns text language plpgsql as $$
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

-- The same in a user's transaction, which keeps no lock on these tables: whoever waits for one of them to be free, as VACUUM FULL does, would wait for the
-- end of that transaction, and all writes behind him.
create or replace function @extschema@.lease_look_up_term(wanted text, of_token bigint) returns text language plpgsql as $$
declare
  term text;
begin
  begin
    term := lease_term_of(wanted, of_token);
    raise sqlstate 'LS000';
  exception when sqlstate 'LS000' then return term;
  end;
end $$;

create or replace function @extschema@.lease_refuse_token(wanted text, of_token bigint) returns void language plpgsql as $$
begin
  raise exception 'the fencing token % of lease "%" is stale: somebody else may hold it now', of_token, wanted using errcode = 'LS001';
end $$;

-- Lets the caller's transaction write under a token. It then commits only if the lease is in the token's term at that moment, and until it
-- ends no transaction passes here with a newer token.
create or replace function @extschema@.lease_enter(wanted text, of_token bigint) returns void language plpgsql as $$
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
      entered := case when coalesce(fence < of_token, true) then lease_look_up_term(wanted, of_token) end;
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
  if lease_look_up_term(wanted, of_token) is null then perform lease_refuse_token(wanted, of_token); end if;
  insert into lease_assertion values (pg_current_xact_id(), wanted, of_token);
end $$;

-- For a user's transaction: from here on it is fenced by the token, and fails at its commit if another term has begun.
create or replace function @extschema@.lease_assert(namespace text, name text, token bigint) returns void
language plpgsql security definer set search_path from current
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off as $$
begin
  perform lease_permit(lease_caller(), namespace);
  perform lease_enter(namespace || '/' || name, token);
end $$;

-- Whether the client's message prepares a transaction. PostgreSQL runs deferred triggers then, and nothing when that is committed; it
-- tells nothing of which it does but this text. That has the two words at the beginning of a statement, once comments and whatever is in quotes are
-- left out.
create or replace function @extschema@.lease_prepares(message text) returns boolean stable language sql as $$
  select message ~* E'\\mprepare\\M'
     and regexp_replace(message,
           E'(?:--[^\\n\\r]*(?:[\\n\\r]|$)|/[*].*?[*]/|\\me\x27(?:[^\x27\\x5c]|\\x5c.)*\x27|\x27[^\x27]*\x27|"[^"]*"|[$]([[:alpha:]_][[:alnum:]_]*|)[$].*?[$]\\1[$]){1,1}?',
           ' ', 'gi') ~* E'(^|;)\\s*prepare\\s+transaction\\M'
$$;

-- At the commit of a transaction that has asserted a token. Such a transaction cannot be prepared.
create or replace function @extschema@.lease_check_assertion() returns trigger language plpgsql security definer set search_path from current
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off as $$
begin
  if lease_prepares(current_query()) then
    raise exception 'a transaction under a fencing token cannot be prepared: it would be committed even after another term has begun'
      using errcode = 'feature_not_supported';
  end if;
  delete from lease_assertion a where a.transaction = new.transaction and a.path = new.path and a.token = new.token;
  if lease_look_up_term(new.path, new.token) is null then perform lease_refuse_token(new.path, new.token); end if;
  return null;
end $$;

-- For a user's table: fence('namespace/name' [, column]) in a trigger `before insert or update or delete ... for each row`, and in one
-- `before truncate`. Each row that is written carries the token under which it is written. It asserts that token, and the column never goes
-- back. Deletions and TRUNCATE carry none, so their transaction must have called lease_assert. The rights are those of the table's owner. It
-- runs as the schema's owner, so it must run nothing that others have defined: the column has one of the types below, whose casts are
-- PostgreSQL's own.
create or replace function @extschema@.fence() returns trigger language plpgsql security definer set search_path from current
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  lease constant text := tg_argv[0];
  name constant text := coalesce(tg_argv[1], 'token');
  type regtype;
  given bigint;
  before bigint;
begin
  if tg_when <> 'BEFORE' or (tg_level = 'ROW') = (tg_op = 'TRUNCATE') or split_part(lease, '/', 2) = '' then
    raise exception 'fence is for triggers "before insert or update or delete for each row" or "before truncate", with an argument ''namespace/name'''
      using errcode = 'trigger_protocol_violated';
  end if;
  perform lease_permit(pg_get_userbyid(c.relowner), split_part(lease, '/', 1)) from pg_class c where c.oid = tg_relid;
  if tg_op in ('DELETE', 'TRUNCATE') then
    if exists (select from lease_assertion a where a.transaction = pg_current_xact_id() and a.path = lease) then
      return case when tg_op = 'DELETE' then old end;
    end if;
    raise exception 'rows fenced by lease "%" are deleted after lease_assert only', lease using errcode = 'LS001';
  end if;
  -- A name that is no column's would be taken for a function.
  select a.atttypid into type from pg_attribute a where a.attrelid = tg_relid and a.attname = name and a.attnum > 0 and not a.attisdropped;
  if type is null or type <> all ('{bigint, integer, smallint, numeric, text, character varying}'::regtype[]) then
    raise exception 'fence needs a column "%" of type bigint in %', name, tg_relid::regclass using errcode = 'datatype_mismatch',
      detail = coalesce(format('It is of type %s.', type), 'There is no such column.');
  end if;
  execute format('select ($1).%I::bigint', name) using new into given;
  if tg_op = 'UPDATE' then
    execute format('select ($1).%I::bigint', name) using old into before;
    if given < before then perform lease_refuse_token(lease, given); end if;
  end if;
  perform lease_enter(lease, given);
  return new;
end $$;

revoke all on function lease_prepares, lease_term_of, lease_look_up_term, lease_refuse_token, lease_enter, lease_assert, lease_check_assertion, fence from public;
