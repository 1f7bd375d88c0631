-- The view `leases` works whatever the search_path of its reader: a function's body is resolved when it is called, and this one found
-- `lease_time` only where the reader's search_path has this schema.
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

create or replace function lease_last_write(lease jsonb) returns timestamptz stable language sql set search_path from current as $$
  select max(lease_time(entry ->> 'time'))
  from jsonb_array_elements(case jsonb_typeof(lease #> '{metadata,managedFields}')
    when 'array' then lease #> '{metadata,managedFields}' else '[]' end) as entry
$$;

select set_config('search_path', quote_ident(current_schema()), true);
