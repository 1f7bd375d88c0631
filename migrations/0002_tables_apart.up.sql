-- Moves the tables to a schema that nobody but their owner and those who may read all of them can name: PostgreSQL queues a strong lock before it
-- looks at rights on a table, but looks at those on its schema first. What people call stays where it is (docs/decisions/0019-a-schema-of-its-own.md).

do $$
declare
  old constant regnamespace := quote_ident(@schema@);
  there constant text := quote_ident(@tables_schema@);
  owner constant name := (select pg_get_userbyid(c.relowner) from pg_class c where c.relname = 'revision_counter'
                          and c.relnamespace in (old, (select oid from pg_namespace where nspname = @tables_schema@)));
  is_served constant boolean := exists (select from revision_counter where lineage <> 0 or value > 1000);
  tables constant name[] := '{objects, revision_counter, revision_lineage, compaction, log_segment, revision_log, server_state, serving_session,
    lease_access, lease_writer_queue, lease_token, lease_fence, lease_assertion, lease_seen, lease_term, lease_term_segment, lease_announcing,
    lease_announcement, terraform_state, terraform_state_version, schema_migration, schema_migration_lock}';
  new regnamespace;
  one record;
begin
  if not exists (select from pg_namespace where nspname = @tables_schema@) then
    create schema @tables@;
    execute format('alter schema %s owner to %I', there, owner);
  elsif exists (select from pg_namespace where nspname = @tables_schema@ and not pg_has_role(nspowner, 'member')) then
    raise exception 'the schema % belongs to another role', @tables_schema@ using errcode = 'insufficient_privilege';
  end if;
  new := there;

  -- Who may read them all, as for a backup, still may.
  for one in
    select distinct a.grantee::regrole as role from pg_class c cross join aclexplode(c.relacl) a
    where c.relnamespace = old and c.relname = 'objects' and a.grantee not in (0, c.relowner)
  loop
    execute format('grant usage on schema %s to %s', there, one.role);
  end loop;
  for one in
    select d.defaclrole::regrole as owner, a.grantee::regrole as role, a.privilege_type as privilege
    from pg_default_acl d cross join aclexplode(d.defaclacl) a
    where d.defaclnamespace = old and d.defaclobjtype = 'r' and pg_has_role(d.defaclrole, 'member') and a.grantee not in (0, d.defaclrole)
  loop
    execute format('alter default privileges for role %s in schema %s grant %s on tables to %s', one.owner, there, one.privilege, one.role);
  end loop;

  -- The tables, then their partitions.
  for one in
    select c.relname as name from pg_class c
    where c.relnamespace = old and c.relkind in ('r', 'p') and (c.relname = any (tables) or c.relname ~ '^(revision_log|lease_term)_[0-9]+$')
    order by array_position(tables, c.relname)
  loop
    execute format('alter table %s.%I set schema %s', old, one.name, there);
  end loop;

  -- Earlier versions find here that they are too old, rather than nothing.
  create or replace view @extschema@.schema_migration as select name, timestamp from @tables@.schema_migration;
  execute format('alter view %s.schema_migration owner to %I', old, owner);

  -- Servers of the version before, which run on in an upgrade, find the other tables here as well. They only read who does the maintenance, and so
  -- leave it to others: it needs tables. A view of a table without columns has one.
  if not is_served then return; end if;
  create or replace function @extschema@.leave_maintenance_to_others() returns trigger language plpgsql as 'begin return null; end';
  execute format('alter function %s.leave_maintenance_to_others owner to %I', old, owner);
  for one in
    select c.relname as name,
           case when c.relname = 'lease_writer_queue' then 'true as everybody' when c.relkind = 'p' then '*, ctid' else '*, ctid, tableoid' end as columns
    from pg_class c
    where c.relnamespace = new and c.relname = any (tables) and c.relname <> all ('{schema_migration, schema_migration_lock}')
  loop
    execute format('create or replace view %s.%I as select %s from %s.%I', old, one.name, one.columns, there, one.name);
    execute format('alter view %s.%I owner to %I', old, one.name, owner);
  end loop;
  create or replace trigger leave_maintenance_to_others instead of update on @extschema@.compaction
  for each row execute function @extschema@.leave_maintenance_to_others();
  for one in
    select c.relname as name, a.grantee::regrole as role, a.privilege_type as privilege
    from pg_class c cross join aclexplode(c.relacl) a
    where c.relnamespace = new and c.relname = any (tables)
      and c.relname <> 'schema_migration_lock' and a.grantee not in (0, c.relowner)
  loop
    execute format('grant %s on %s.%I to %s', one.privilege, old, one.name, one.role);
  end loop;
  -- Until the functions are replaced, those that name a type of a table find the table.
  alter function @extschema@.lease_change_terms set search_path = @tables@, @extschema@, pg_temp;
  alter function @extschema@.lease_compare_terms set search_path = @tables@, @extschema@, pg_temp;
end $$;
