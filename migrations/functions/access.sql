-- Which roles may use leases in SQL (docs/sql.md, docs/decisions/0025-leases-in-sql.md).

-- Lets a role use the leases of a namespace, or of all (`*`). Refused where others than the owner may create what these functions might run.
create or replace function @extschema@.lease_grant(grantee regrole, namespace text, most_leases integer default 10000) returns void
language plpgsql set search_path from current as $$
declare
  others text;
begin
  select string_agg(coalesce(r.rolname::text, 'everybody'), ', ') into others
  from pg_namespace n cross join aclexplode(n.nspacl) a left join pg_roles r on r.oid = a.grantee
  where n.nspname in (@schema@, @tables_schema@) and a.privilege_type = 'CREATE'
    and a.grantee not in (n.nspowner, (select c.relowner from pg_class c where c.oid = 'lease_access'::regclass));
  if others is not null then
    raise exception 'what % may create in the schema "%" could be run by its owner for those to whom it is granted', others, @schema@
      using errcode = 'object_not_in_prerequisite_state', hint = format('revoke create on schema %I from ...', @schema@::text);
  end if;
  if namespace is distinct from '*' then perform lease_check_namespace(namespace); end if;
  insert into lease_access as a values (grantee, namespace, most_leases)
  on conflict on constraint lease_access_pkey do update set most_leases = excluded.most_leases;
  execute format('grant usage on schema %I to %s', @schema@, grantee);
  execute format('grant execute on routine %s to %s', lease_routines(), grantee);
end $$;

create or replace function @extschema@.lease_revoke(grantee regrole, namespace text) returns void
language plpgsql set search_path from current as $$
begin
  delete from lease_access a where a.role = grantee and a.namespace = lease_revoke.namespace;
  if not exists (select from lease_access a where a.role = grantee) then
    execute format('revoke execute on routine %s from %s', lease_routines(), grantee);
  end if;
end $$;

-- What a granted role may execute, as a list for GRANT.
create or replace function @extschema@.lease_routines() returns text stable language sql set search_path from current as $$
  select string_agg(oid::regprocedure::text, ', ') from pg_proc
  where pronamespace = (select oid from pg_namespace where nspname = @schema@)
    and proname in ('lease_acquire', 'lease_renew', 'lease_release', 'lease_get', 'lease_assert', 'fence', 'lease_write',
                    'lease_commit_write', 'lease_leave_transaction', 'lease_commit_refusal', 'lease_notify', 'lease_flush')
$$;

-- Whose rights count: the role of SET ROLE, else of the session. In a function of these, current_user is the owner of the schema.
create or replace function @extschema@.lease_caller() returns name stable language sql as $$
  select coalesce(nullif(current_setting('role'), 'none')::name, session_user)
$$;

-- How many leases the caller may make there. Raises 42501 without a grant. The owner of the schema has no limit.
create or replace function @extschema@.lease_permit(caller name, wanted text) returns integer stable language plpgsql as $$
declare
  most integer;
begin
  if pg_has_role(caller, current_user, 'usage') then return 2147483647; end if;
  select max(a.most_leases) into most from lease_access a
  where a.namespace in (wanted, '*') and pg_has_role(caller, a.role, 'usage');
  if most is not null then return most; end if;
  raise exception 'role "%" may not use leases in namespace "%"', caller, wanted
    using errcode = 'insufficient_privilege', hint = format('The owner of the schema may grant it: select %I.lease_grant(%L, %L).',
      @schema@::text, quote_ident(caller), wanted);
end $$;

revoke all on function lease_grant, lease_revoke, lease_routines, lease_caller, lease_permit from public;
