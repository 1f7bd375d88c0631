select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- As in 0010.
create or replace function lease_announce(ids text[], terms text[]) returns void language plpgsql set search_path from current as $$
begin
  if not exists (select from lease_announcing a where a.until > clock_timestamp()) then return; end if;
  insert into lease_announcement (id, term, made, due)
  select announced.id, announced.term, clock_timestamp(), clock_timestamp()
  from unnest(ids, terms) as announced(id, term)
  where (select count(*) from (select from lease_announcement limit 100000) queued) < 100000
  on conflict do nothing;
end
$$;

alter table lease_announcing drop column queued;

select set_config('search_path', quote_ident(current_schema()), true);
