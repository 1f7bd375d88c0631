do $$
declare
  one record;
begin
  for one in
    select c.relname as name from pg_class c
    where c.relnamespace = quote_ident(@schema@)::regnamespace and c.relkind = 'v'
      and exists (select from pg_class t where t.relname = c.relname and t.relkind in ('r', 'p')
                  and t.relnamespace = quote_ident(@tables_schema@)::regnamespace)
  loop
    execute format('drop view %I.%I', @schema@, one.name);
  end loop;
  drop function if exists @extschema@.leave_maintenance_to_others();
  -- Beside the functions of before, which have fewer arguments, calls of these names would be ambiguous.
  for one in
    select p.oid::regprocedure as signature from pg_proc p
    where p.pronamespace = quote_ident(@schema@)::regnamespace and p.proargnames && array['unchanged', 'unchanged_ms']
  loop
    execute format('drop routine %s', one.signature);
  end loop;
  for one in
    select c.relname as name from pg_class c
    where c.relnamespace = quote_ident(@tables_schema@)::regnamespace and c.relkind in ('r', 'p')
    order by c.relkind
  loop
    execute format('alter table %I.%I set schema %I', @tables_schema@, one.name, @schema@);
  end loop;
  drop schema @tables@;
end $$;
