-- The stored JSON of a lease, as the server would write it.

-- An object with other values of some members, as JSON; without a member whose value is null.
create or replace function @extschema@.lease_with(old json, members text[], given text[]) returns text stable language plpgsql as $$
begin
  return (
    select '{' || string_agg(to_json(key)::text || ':' || case when key = any (members) then given[array_position(members, key)]
                                                               else value::text end, ',' order by at) || '}'
    from json_each(old) with ordinality as field (key, value, at)
  );
end $$;

-- The spec with these values, each as JSON; null leaves a field as it is. In the server's order: what follows leaseTransitions stays behind.
create or replace function @extschema@.lease_spec(old json, holder text, seconds text, acquired text, renewed text, transitions text) returns text
stable language plpgsql as $$
begin
  return (
    select '{' || string_agg(to_json(key)::text || ':' || coalesce(given, value::text), ',' order by rank, at) || '}'
    from (values (1, 'holderIdentity', holder), (2, 'leaseDurationSeconds', seconds), (3, 'acquireTime', acquired),
                 (4, 'renewTime', renewed), (5, 'leaseTransitions', transitions)) as field (rank, key, given)
    full join json_each(old) with ordinality as member (key, value, at) using (key)
    where coalesce(given, value::text) is not null
  );
end $$;

-- The elements in fieldsV1 of the fields of the spec that differ.
create or replace function @extschema@.lease_changes(before json, after json) returns text[] stable language plpgsql as $$
begin
  return (
    select coalesce(array_agg('f:' || key), '{}') from json_each(before) as b full join json_each(after) as a using (key)
    where a.value::text is distinct from b.value::text
  );
end $$;

-- fieldsV1 without some elements of the spec, and with others; null where nothing is left. In the server's order.
create or replace function @extschema@.lease_fields(fields json, lost text[], gained text[]) returns text stable language plpgsql as $$
begin
  return (
    with child as (
      select key, value::text as value from json_each(fields -> 'f:spec') where key <> all (lost) or value::text <> '{}'
      union all
      select element, '{}' from unnest(gained) as element
      union all
      -- the spec as a whole
      select '.', '{}' where (fields -> 'f:spec')::text = '{}'
    ), part as (
      select key, value::text as value from json_each(fields) where key <> 'f:spec'
      union all
      select 'f:spec', case when bool_and(key = '.') then '{}'
                            else '{' || string_agg(to_json(key)::text || ':' || value, ',' order by key collate "C") || '}' end
      from child having count(*) > 0
    )
    select '{' || string_agg(to_json(key)::text || ':' || value, ',' order by key collate "C") || '}' from part
  );
end $$;

-- managedFields after a write of the field manager `coordination-sql` that changed these elements of the spec: it owns them now, and nobody
-- else does (src/apimachinery/managedfields). Null stays null: a client has turned the tracking off.
create or replace function @extschema@.lease_owners(managed json, changed text[], now timestamptz) returns text stable language plpgsql as $$
begin
  return (
    with entry as (
      select value as entry,
             value ->> 'manager' = 'coordination-sql' and value ->> 'operation' = 'Update'
               and value ->> 'apiVersion' = 'coordination.k8s.io/v1' and value ->> 'subresource' is null as own
      from json_array_elements(managed)
    ), owner as (
      select array[coalesce(entry ->> 'operation', ''), coalesce(entry ->> 'time', ''), coalesce(entry ->> 'manager', ''),
                   coalesce(entry ->> 'apiVersion', ''), coalesce(entry ->> 'subresource', '')] as rank,
             lease_with(entry, '{fieldsV1}', array[fields]) as text
      from entry, lateral (select lease_fields(entry -> 'fieldsV1', changed, '{}') as fields) as left_over
      where not own and fields is not null
      union all
      select array['Update', lease_whole_time(now), 'coordination-sql', 'coordination.k8s.io/v1', ''],
             format('{"manager":"coordination-sql","operation":"Update","apiVersion":"coordination.k8s.io/v1","time":"%s",'
                 '"fieldsType":"FieldsV1","fieldsV1":%s}',
               lease_whole_time(now), lease_fields((select entry -> 'fieldsV1' from entry where own limit 1), changed, changed))
    )
    select '[' || string_agg(text, ',' order by rank collate "C") || ']' from owner where managed is not null
  );
end $$;

-- A new object's. `fields` and `rest` are JSON: fieldsV1, and what follows the metadata.
create or replace function @extschema@.lease_new_data(kind text, version text, name text, namespace text, uid text, labels text, fields text, rest text,
                               now timestamptz) returns text stable language plpgsql as $$
begin
  return format('{"kind":"%s","apiVersion":"%s","metadata":{"name":"%s",%s"uid":"%s","creationTimestamp":"%s",%s"managedFields":[{'
      '"manager":"coordination-sql","operation":"Update","apiVersion":"%s","time":"%s","fieldsType":"FieldsV1","fieldsV1":%s}]},%s}',
    kind, version, name, '"namespace":"' || namespace || '",', uid, lease_whole_time(now), '"labels":' || labels || ',',
    version, lease_whole_time(now), fields, rest);
end $$;

-- The stored text with another spec, of a lease that only `coordination-sql` has written, which keeps the fields that it owns: the spec and a time are
-- replaced where they stand. Null where it is anything else, or where the same text occurs elsewhere, as in an annotation.
create or replace function @extschema@.lease_rewritten(lease lease_state, spec text, changed text[], moment timestamptz) returns text language plpgsql as $$
declare
  owner constant json := case when json_array_length(lease.managed) = 1 then lease.managed -> 0 end;
  owned constant json := owner #> '{fieldsV1,f:spec}';
  parts text[];
  element text;
begin
  if owned is null or owner ->> 'manager' <> 'coordination-sql' or owner ->> 'operation' <> 'Update'
     or owner ->> 'apiVersion' <> 'coordination.k8s.io/v1' or owner ->> 'subresource' is not null then
    return null;
  end if;
  foreach element in array changed loop
    if owned -> element is null then return null; end if;
  end loop;
  parts := string_to_array(lease.data, '"time":"' || (owner ->> 'time') || '"');
  if cardinality(parts) <> 2 then return null; end if;
  parts := string_to_array(parts[1] || '"time":"' || lease_whole_time(moment) || '"' || parts[2], '"spec":' || lease.spec::text);
  if cardinality(parts) <> 2 then return null; end if;
  return parts[1] || '"spec":' || spec || parts[2];
end $$;

-- What this write leaves, with the spec that client-go would write: who takes a lease that he holds goes on with his term, and a release
-- leaves a lease of one second that names nobody.
create or replace function @extschema@.lease_next(verb text, lease lease_state, in_namespace text, in_name text, in_holder text, seconds integer,
                           moment timestamptz) returns lease_state language plpgsql as $$
declare
  begins constant boolean := verb = 'acquire' and lease.holder is distinct from in_holder;
  released constant boolean := verb = 'release';
  time constant text := '"' || lease_micro_time(moment) || '"';
  transitions constant bigint := case when lease.revision is null then 0
                                      else coalesce((lease.spec ->> 'leaseTransitions')::bigint, 0) + 1 end;
  spec constant text := lease_spec(lease.spec, case when released then '""' when begins then lease_string(in_holder) end,
    case when released then '1' else seconds::text end, case when released or begins then time end, time,
    case when begins then least(transitions, 2147483647)::text end);
  changes constant text[] := lease_changes(lease.spec, spec::json);
  old json;
  rewritten text;
begin
  if lease.revision is null then
    lease.uid := gen_random_uuid();
    lease.terminating := false;
    lease.data := lease_new_data('Lease', 'coordination.k8s.io/v1', in_name, in_namespace, lease.uid, null,
      lease_fields(null, '{}', changes), '"spec":' || spec, moment);
  else
    rewritten := lease_rewritten(lease, spec, changes, moment);
    if rewritten is null then
      old := lease_readable(lease.data);
      rewritten := lease_as_stored(lease_with(old, '{metadata,spec}', array[
        lease_with(old -> 'metadata', '{managedFields}', array[lease_owners(lease.managed, changes, moment)]), spec]));
    end if;
    lease.data := rewritten;
  end if;
  lease.spec := spec;
  lease.holder := lease.spec ->> 'holderIdentity';
  lease.expires := lease_expiry(lease.spec, null);
  lease.term := lease_term(lease.uid, lease.spec);
  return lease;
end $$;

-- The same for a renewal, at a tenth of the cost: with a spec in which one time differs. Null where lease_rewritten is.
create or replace function @extschema@.lease_renewed(lease lease_state, moment timestamptz) returns lease_state language plpgsql as $$
declare
  parts constant text[] := string_to_array(lease.spec::text, '"renewTime":"' || (lease.spec ->> 'renewTime') || '"');
  spec constant text := case when cardinality(parts) = 2 then parts[1] || '"renewTime":"' || lease_micro_time(moment) || '"' || parts[2] end;
begin
  lease.data := lease_rewritten(lease, spec, '{f:renewTime}', moment);
  lease.spec := spec;
  lease.expires := moment + (lease.spec ->> 'leaseDurationSeconds')::integer * interval '1 second';
  return lease;
end $$;

revoke all on function lease_renewed, lease_rewritten, lease_with, lease_spec, lease_changes, lease_fields, lease_owners, lease_new_data, lease_next from public;
