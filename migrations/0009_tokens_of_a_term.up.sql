-- A number between the token of a term and the lease's revision is not yet a token of that term: it may belong to another lease, or to a write
-- that was lost in a failover.
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- The term of a lease if this token belongs to it: the token that SQL gave out last, or any resourceVersion at which the lease named its
-- present holder, but not one before that token or before one that was asserted. Null otherwise, also where the log is too short to tell.
create or replace function lease_term_of(wanted text, of_token bigint) returns text language plpgsql as $$
declare
  lease lease_state;
  given bigint;
  asserted bigint;
  term text;
begin
  select * into lease from lease_at(wanted);
  if not found or lease.holder = '' or of_token > lease.revision then return null; end if;
  select t.token into given from lease_token t where t.path = wanted and t.term = lease.term;
  select f.token into asserted from lease_fence f where f.path = wanted and f.term = lease.term;
  if of_token in (given, lease.revision) then return lease.term; end if;
  if of_token < greatest(given, asserted) then return null; end if;
  if of_token = asserted then return lease.term; end if;
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
