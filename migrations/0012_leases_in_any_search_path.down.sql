select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- As in 0011.
create or replace function lease_last_write(lease jsonb) returns timestamptz stable language sql as $$
  select max(lease_time(entry ->> 'time'))
  from jsonb_array_elements(case jsonb_typeof(lease #> '{metadata,managedFields}')
    when 'array' then lease #> '{metadata,managedFields}' else '[]' end) as entry
$$;

select set_config('search_path', quote_ident(current_schema()), true);
