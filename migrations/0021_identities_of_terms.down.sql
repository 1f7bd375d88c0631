select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

do $$
declare
  each text;
begin
  for each in
    select 'lease_term'::regclass union all select i.inhrelid::regclass from pg_inherits i where i.inhparent = 'lease_term'::regclass
  loop
    execute format('alter table %s replica identity default', each);
  end loop;
end $$;

select set_config('search_path', quote_ident(current_schema()), true);
