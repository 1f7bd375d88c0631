-- Lapses are queued while the revision counter is locked, so what bounds the queue must not be counted there: with a full queue the count
-- took up to 900 ms. Servers that announce lapses count every few seconds.
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- How many announcements are queued, as of the last count.
alter table lease_announcing add column queued integer not null default 0;

-- Queues lapses to be announced, if anybody does that, up to some 100,000 of them. Whoever calls it leaves out what is no news.
create or replace function lease_announce(ids text[], terms text[]) returns void language plpgsql set search_path from current as $$
begin
  if not exists (select from lease_announcing a where a.until > clock_timestamp() and a.queued < 100000) then return; end if;
  insert into lease_announcement (id, term, made, due)
  select announced.id, announced.term, clock_timestamp(), clock_timestamp()
  from unnest(ids, terms) as announced(id, term)
  on conflict do nothing;
end
$$;

select set_config('search_path', quote_ident(current_schema()), true);
