-- Every row that is updated or deleted has an identity: without one, PostgreSQL refuses that as soon as a publication has the table, such as
-- one `for all tables`. Costs nothing unless wal_level is logical.
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

alter table lease_term_0 replica identity using index lease_term_open;

-- Ended terms are only inserted by the server; they have one for others who delete some.
do $$
declare
  each text;
begin
  for each in
    select 'lease_term'::regclass
    union all select i.inhrelid::regclass from pg_inherits i where i.inhparent = 'lease_term'::regclass and i.inhrelid <> 'lease_term_0'::regclass
  loop
    execute format('alter table %s replica identity full', each);
  end loop;
end $$;

select set_config('search_path', quote_ident(current_schema()), true);
