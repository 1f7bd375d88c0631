-- What went past a fence: TRUNCATE, which fires no trigger for rows, and two-phase commit, which checks a token when the transaction is prepared
-- and may commit it long after another term has begun.
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- As before, and for statement triggers before truncate, which like deletions need an assertion.
create or replace function fence() returns trigger language plpgsql security definer set search_path from current
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

-- As before, and refuses to prepare the transaction.
create or replace function lease_check_assertion() returns trigger language plpgsql security definer set search_path from current
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off as $$
begin
  -- PostgreSQL runs deferred triggers when a transaction is prepared, and nothing when that is committed.
  if current_query() ~* '\mprepare\s+(/\*.*?\*/\s*)*transaction\M' then
    raise exception 'a transaction under a fencing token cannot be prepared: it would be committed even after another term has begun'
      using errcode = 'feature_not_supported';
  end if;
  delete from lease_assertion a where a.transaction = new.transaction and a.path = new.path and a.token = new.token;
  if lease_term_of(new.path, new.token) is null then perform lease_refuse_token(new.path, new.token); end if;
  return null;
end $$;

select set_config('search_path', quote_ident(current_schema()), true);
