select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- As in 0010.
create or replace function lease_term_object(term lease_term) returns text language sql stable as $$
  select '{"kind":"LeaseTerm","apiVersion":"history.coordination-apiserver.dev/v1","metadata":{"name":'
      || lease_string(term.lease || '.' || term.token::text)
      || ',"namespace":' || lease_string(term.namespace)
      || ',"uid":"' || term.uid || '"'
      || ',"creationTimestamp":"' || lease_whole_time(term.began) || '"'
      || coalesce(',"labels":' || term.labels, '')
      || '},"spec":{"leaseName":' || lease_string(term.lease)
      || ',"leaseUID":' || lease_string(term.lease_uid)
      || ',"holder":' || lease_string(term.holder)
      || ',"fencingToken":"' || term.token || '"'
      || ',"from":"' || lease_micro_time(term.began) || '"'
      || coalesce(',"leaseDurationSeconds":' || term.duration_seconds, '')
      || coalesce(',"leaseTransitions":' || term.transitions, '')
      || '},"status":{"phase":"' || case when term.until is null then 'Held' else 'Ended' end || '"'
      || coalesce(',"until":"' || lease_micro_time(term.until) || '"', '')
      || coalesce(',"reason":"' || term.reason || '"', '')
      || coalesce(',"lastRenewTime":"' || lease_micro_time(term.renewed) || '"', '')
      || case when term.lapsed then ',"lapsed":true' else '' end
      || coalesce(',"lapsedAt":"' || lease_micro_time(term.lapsed_at) || '"', '')
      || coalesce(',"lapses":' || term.lapses, '')
      || '}}'
$$;

create or replace function lease_change_terms(after bigint, log_segment integer, changes jsonb)
returns table (revision bigint, kind "char", path text, uid text, data text, previous_revision bigint, previous text)
language plpgsql set search_path from current
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan set jit = off as $$
#variable_conflict use_column
begin
  return query
  with change as materialized (
    select c.*, after + 2 * c.number - 1 as first_revision
    from rows from (jsonb_to_recordset(changes) as (
      namespace text, lease text, lease_uid text, token bigint, holder text, duration integer, transitions integer, labels text,
      reason text, held_by text, held_duration integer, renewed text, expires text, ends bigint
    )) with ordinality as c(namespace, lease, lease_uid, token, holder, duration, transitions, labels,
                            reason, held_by, held_duration, renewed, expires, ends, number)
  ), moment as materialized (
    select clock_timestamp() as now, max(segment) as segment from lease_term_segment
  ), before as materialized (
    select c.*, t.revision as previous_revision, lease_term_object(t) as previous, t.lapsed as was_lapsed,
           case when t.holder is not distinct from c.held_by then lease_time(c.expires) <= moment.now end as over, moment.now
    from change c cross join moment join lease_term t on t.segment = 0 and t.lease = c.lease and t.namespace = c.namespace
    where c.reason is not null and (c.ends is null or t.token = c.ends)
  ), ended as (
    update lease_term t
    set segment = moment.segment, until = greatest(moment.now, t.began), revision = b.first_revision,
        renewed = lease_time(b.renewed), duration_seconds = coalesce(b.held_duration, t.duration_seconds),
        lapsed = case when b.over or t.lapsed then coalesce(b.over, t.lapsed) end,
        lapsed_at = case when b.over and t.lapsed is not true then greatest(lease_time(b.expires), t.began) else t.lapsed_at end,
        lapses = case when b.over and t.lapsed is not true then coalesce(t.lapses, 0) + 1 else t.lapses end,
        reason = case when t.holder is distinct from b.held_by then 'Unknown'
                      when b.reason in ('Replaced', 'HandedOver') and lease_time(b.expires) <= moment.now then 'Expired'
                      else b.reason end
    from before b, moment
    where t.segment = 0 and t.lease = b.lease and t.namespace = b.namespace
    returning t.path, t.uid, t.revision, lease_term_object(t) as data, b.previous_revision, b.previous,
              b.over and b.was_lapsed is not true and t.lapsed_at > b.now - interval '1 hour' as is_news, t.lapses
  ), announced as materialized (
    select lease_announce(array_agg(e.uid || '.' || e.lapses), array_agg(e.data)) from ended e where e.is_news having count(*) > 0
  ), begun as (
    insert into lease_term as t (segment, namespace, lease, token, uid, lease_uid, holder, began, duration_seconds, transitions, labels,
                                 created, revision)
    select 0, c.namespace, c.lease, c.token, gen_random_uuid()::text, c.lease_uid, c.holder, moment.now, c.duration, c.transitions, c.labels,
           c.first_revision + 1, c.first_revision + 1
    from change c, moment
    -- after the term that ends; where another one is open all the same, the next comparison with the leases finds it
    where c.holder is not null and (select count(*) from ended) >= 0
    on conflict do nothing
    returning t.path, t.uid, t.revision, lease_term_object(t) as data
  ), counted as (
    update lease_term_segment s set terms = s.terms + e.terms
    from moment, (select count(*) as terms from ended) e
    where s.segment = moment.segment and e.terms > 0
  ), altered as (
    select 'M'::"char" as kind, e.path, e.uid, e.revision, e.data, e.previous_revision, e.previous from ended e
    where (select count(*) from announced) >= 0
    union all
    select 'A', begun.*, null, null from begun
  )
  insert into revision_log as l (segment, kind, resource, path, uid, revision, terminating, data,
                                 previous_revision, previous_uid, previous_terminating, previous)
  select log_segment, a.kind, 'leaseterms.history.coordination-apiserver.dev', a.path, a.uid, a.revision, false, a.data,
         a.previous_revision, case when a.kind = 'M' then a.uid end, case when a.kind = 'M' then false end, a.previous
  from altered a
  returning l.revision, l.kind, l.path, l.uid, l.data, l.previous_revision, l.previous;
end
$$;

create or replace function lease_lapse_terms(after bigint, log_segment integer, changes jsonb)
returns table (revision bigint, kind "char", path text, uid text, data text, previous_revision bigint, previous text)
language plpgsql set search_path from current
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan set jit = off as $$
#variable_conflict use_column
begin
  return query
  with change as materialized (
    select c.*, after + c.number as change_revision
    from rows from (jsonb_to_recordset(changes) as (
      namespace text, lease text, lease_revision bigint, expires text, lapsed boolean
    )) with ordinality as c(namespace, lease, lease_revision, expires, lapsed, number)
  ), moment as materialized (
    select clock_timestamp() as now
  ), before as materialized (
    select c.namespace, c.lease, c.lapsed, c.change_revision, lease_time(c.expires) as expires,
           t.revision as previous_revision, lease_term_object(t) as previous, moment.now
    from change c cross join moment
    join objects o on o.resource = 'leases.coordination.k8s.io' and o.path = c.namespace || '/' || c.lease and o.revision = c.lease_revision
    join lease_term t on t.segment = 0 and t.lease = c.lease and t.namespace = c.namespace
    where coalesce(t.lapsed, false) <> c.lapsed and coalesce(lease_time(c.expires) <= moment.now, false) = c.lapsed
  ), altered as (
    update lease_term t
    set revision = b.change_revision, lapsed = b.lapsed,
        lapsed_at = case when b.lapsed then greatest(b.expires, t.began) else t.lapsed_at end,
        lapses = coalesce(t.lapses, 0) + b.lapsed::integer
    from before b
    where t.segment = 0 and t.lease = b.lease and t.namespace = b.namespace
    returning t.path, t.uid, t.revision, lease_term_object(t) as data, b.previous_revision, b.previous,
              b.lapsed and t.lapsed_at > b.now - interval '1 hour' as is_news, t.lapses
  ), announced as materialized (
    select lease_announce(array_agg(a.uid || '.' || a.lapses), array_agg(a.data)) from altered a where a.is_news having count(*) > 0
  )
  insert into revision_log as l (segment, kind, resource, path, uid, revision, terminating, data,
                                 previous_revision, previous_uid, previous_terminating, previous)
  select log_segment, 'M', 'leaseterms.history.coordination-apiserver.dev', a.path, a.uid, a.revision, false, a.data,
         a.previous_revision, a.uid, false, a.previous
  from altered a
  where (select count(*) from announced) >= 0
  returning l.revision, l.kind, l.path, l.uid, l.data, l.previous_revision, l.previous;
end
$$;

drop function lease_term_head, lease_term_status;

select set_config('search_path', quote_ident(current_schema()), true);
