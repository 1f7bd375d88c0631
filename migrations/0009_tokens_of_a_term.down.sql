select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- As in 0007.
create or replace function lease_term_of(wanted text, of_token bigint) returns text language plpgsql as $$
declare
  lease lease_state;
  known bigint;
  term text;
begin
  select * into lease from lease_at(wanted);
  if not found or lease.holder = '' or of_token > lease.revision then return null; end if;
  select t.token into known from lease_token t where t.path = wanted and t.term = lease.term;
  if not found then select f.token into known from lease_fence f where f.path = wanted and f.term = lease.term; end if;
  if known <= of_token or of_token = lease.revision then return lease.term; end if;
  if known is not null then return null; end if;
  begin
    select lease_term(l.uid, l.data::json -> 'spec') into term from revision_log l
    where l.resource = 'leases.coordination.k8s.io' and l.path = wanted and l.revision = of_token;
    -- releases the locks on the log's partitions: compaction would wait for the end of the user's transaction
    raise sqlstate 'LS000';
  exception when sqlstate 'LS000' then null;
  end;
  return case when term = lease.term then term end;
end $$;

select set_config('search_path', quote_ident(current_schema()), true);
