-- States of Terraform and OpenTofu (docs/locks.md, docs/decisions/0033-terraform-state.md).

-- Stores a version of a state, or removes the state with all its versions if `in_data` is null, provided that its lease is still at the
-- revision `lease_revision` (null: that there is none), at which the caller found that the writer may write.
--
-- outcome  stored, removed;
--          none: there is no row for the state yet, which has to be committed beforehand;
--          moved: the lease is at another revision, so the caller decides again;
--          missing, terminating: the namespace is;
--          full: there are most_states, or most_bytes cannot hold even this version alone beside the other states;
--          share: the same, of most_percent of these limits and the states of the namespace.
--
-- A version that is no larger than all versions of its state together always fits, so that what an apply has made is stored above a lowered limit
-- too. The lock on the row of terraform_state orders writers and readers of one state: who takes the lease over, commits that, and then reads the
-- state waits for a writer that has found the lease as it was before; a later one finds it changed. Nothing of this locks a row of objects or the
-- revision counter, and no batch touches these tables: neither can wait for the other.
create or replace function @extschema@.terraform_state_change(
  in_path text, lease_revision bigint, in_data text, in_writer text, in_serial bigint, in_lineage text,
  most_versions integer, most_states integer, most_bytes bigint, most_percent integer default 100
) returns table (outcome text, version bigint) language plpgsql set search_path from current as $$
#variable_conflict use_column
declare
  head terraform_state;
  size constant bigint := octet_length(in_data);
  namespace constant text := split_part(in_path, '/', 1);
  is_terminating boolean;
  total record;
  excess bigint; -- by how much the limits would be exceeded if no version gave way
  own_excess bigint;
begin
  select s.* into head from terraform_state s where s.path = in_path for update;
  if not found then return query select 'none', null::bigint; return; end if;
  -- Not in the statement above, which sees what was committed before it waited for the lock.
  if lease_revision is distinct from
     (select o.revision from objects o where o.resource = 'leases.coordination.k8s.io' and o.path = in_path) then
    return query select 'moved', null::bigint; return;
  end if;

  if in_data is null then
    delete from terraform_state s where s.path = in_path;
    return query select 'removed', head.newest; return;
  end if;

  select n.terminating into is_terminating from objects n where n.resource = 'namespaces' and n.path = namespace;
  if is_terminating is distinct from false then
    return query select case when is_terminating then 'terminating' else 'missing' end, null::bigint; return;
  end if;
  -- Sent again, as by a client that did not get the answer.
  if exists (select from terraform_state_version v where v.path = in_path and v.version = head.newest and v.data = in_data) then
    return query select 'stored', head.newest; return;
  end if;
  select count(*) as states, coalesce(sum(s.bytes), 0) as bytes, count(*) filter (where s.path ^@ (namespace || '/')) as own_states,
         coalesce(sum(s.bytes) filter (where s.path ^@ (namespace || '/')), 0) as own_bytes
  into total from terraform_state s where s.newest > 0;
  excess := total.bytes + size - most_bytes;
  own_excess := total.own_bytes + size - most_bytes * most_percent / 100;
  outcome := case
    when head.newest = 0 and total.states >= most_states or size > head.bytes and excess > head.bytes then 'full'
    when head.newest = 0 and total.own_states >= most_states * most_percent / 100 or size > head.bytes and own_excess > head.bytes then 'share' end;
  if outcome is not null then return next; return; end if;

  -- the oldest ones, because there are too many, or until the new one fits
  delete from terraform_state_version v
  using (select o.version, sum(o.bytes) over (order by o.version) - o.bytes as older from terraform_state_version o where o.path = in_path) o
  where v.path = in_path and v.version = o.version
    and (o.version <= head.newest + 1 - most_versions or o.older < greatest(excess, own_excess));
  insert into terraform_state_version (path, version, written, writer, serial, lineage, bytes, data)
  values (in_path, head.newest + 1, clock_timestamp(), in_writer, in_serial, in_lineage, size, in_data);
  update terraform_state s
  set newest = head.newest + 1, bytes = (select sum(v.bytes) from terraform_state_version v where v.path = in_path)
  where s.path = in_path;
  return query select 'stored', head.newest + 1;
end $$;

revoke all on function terraform_state_change from public;
