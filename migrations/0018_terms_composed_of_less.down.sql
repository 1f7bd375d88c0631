select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- As before 0018.
create or replace function lease_term_head(term lease_term, seconds integer) returns text language sql stable as $$
  select replace(replace(replace(replace(replace(concat(
      '{"kind":"LeaseTerm","apiVersion":"history.coordination-apiserver.dev/v1","metadata":{"name":',
      to_json(term.lease || '.' || term.token::text),
      ',"namespace":', to_json(term.namespace),
      ',"uid":"', term.uid,
      '","creationTimestamp":"', lease_whole_time(term.began), '"',
      ',"labels":' || term.labels,
      '},"spec":{"leaseName":', to_json(term.lease),
      ',"leaseUID":', to_json(term.lease_uid),
      ',"holder":', to_json(term.holder),
      ',"fencingToken":"', term.token,
      '","from":"', lease_micro_time(term.began), '"',
      ',"leaseDurationSeconds":' || seconds,
      ',"leaseTransitions":' || term.transitions,
      '},"status":'),
    '<', chr(92) || 'u003c'), '>', chr(92) || 'u003e'), '&', chr(92) || 'u0026'),
    chr(8232), chr(92) || 'u2028'), chr(8233), chr(92) || 'u2029')
$$;

-- As before.
create or replace function lease_term_status(until timestamptz, reason text, renewed timestamptz, lapsed boolean, lapsed_at timestamptz, lapses integer)
returns text language sql stable as $$
  select concat(
      '{"phase":"', case when until is null then 'Held"' else 'Ended"' end,
      ',"until":"' || lease_micro_time(until) || '"',
      ',"reason":"' || reason || '"',
      ',"lastRenewTime":"' || lease_micro_time(renewed) || '"',
      case when lapsed then ',"lapsed":true' end,
      ',"lapsedAt":"' || lease_micro_time(lapsed_at) || '"',
      ',"lapses":' || lapses,
      '}}')
$$;

-- As before.
create or replace function lease_change_terms(after bigint, log_segment integer, changes jsonb)
returns table (revision bigint, kind "char", path text, uid text, data text, previous_revision bigint, previous text)
language plpgsql set search_path from current
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan set jit = off as $$
#variable_conflict use_column
begin
  return query
  with change as materialized (
    select c.*, coalesce(c.token, after - c.ago) as first_token, lease_time(c.expires) as over_at, after + 2 * c.number - 1 as first_revision
    from rows from (jsonb_to_recordset(changes) as (
      namespace text, lease text, lease_uid text, token bigint, ago integer, holder text, duration integer, transitions integer, labels text,
      reason text, held_by text, held_duration integer, renewed text, expires text, ends bigint
    )) with ordinality as c(namespace, lease, lease_uid, token, ago, holder, duration, transitions, labels,
                            reason, held_by, held_duration, renewed, expires, ends, number)
  ), moment as materialized (
    select clock_timestamp() as now, max(segment) as segment from lease_term_segment
  ), before as materialized (
    select open.*, moment.now, moment.segment, c.first_revision, c.renewed, c.over_at,
           case when open.holder is not distinct from c.held_by then c.over_at <= moment.now end as over,
           case when open.holder is distinct from c.held_by then 'Unknown'
                when c.reason in ('Replaced', 'HandedOver') and c.over_at <= moment.now then 'Expired'
                else c.reason end as reason
    from change c cross join moment cross join lateral (
      select t.ctid as place, t.namespace, t.lease, t.token, t.path, t.uid, t.lease_uid, t.holder, t.began, t.transitions, t.labels, t.lapsed,
             t.lapsed_at, t.lapses, t.created, t.revision, coalesce(c.held_duration, t.duration_seconds) as duration_seconds,
             lease_term_head(t, t.duration_seconds) as head,
             case when coalesce(c.held_duration, t.duration_seconds) is distinct from t.duration_seconds
                  then lease_term_head(t, coalesce(c.held_duration, t.duration_seconds)) end as other_head,
             lease_term_status(t.until, t.reason, t.renewed, t.lapsed, t.lapsed_at, t.lapses) as status
      from lease_term t
      where t.segment = 0 and t.lease = c.lease and t.namespace = c.namespace and (c.ends is null or t.token = c.ends)
      offset 0
    ) open
    where c.reason is not null
  ), gone as (
    delete from lease_term t where t.segment = 0 and t.ctid = any (array(select place from before)) returning t.token
  ), ending as materialized (
    select b.*, greatest(b.now, b.began) as until, lease_time(b.renewed) as renewed_at,
           case when b.over or b.lapsed then coalesce(b.over, b.lapsed) end as has_lapsed,
           case when b.over and b.lapsed is not true then greatest(b.over_at, b.began) else b.lapsed_at end as last_lapsed_at,
           case when b.over and b.lapsed is not true then coalesce(b.lapses, 0) + 1 else b.lapses end as all_lapses
    from before b
  ), ended as (
    insert into lease_term as t (segment, namespace, lease, token, uid, lease_uid, holder, began, until, reason, duration_seconds, transitions,
                                 renewed, labels, lapsed, lapsed_at, lapses, created, revision)
    select e.segment, e.namespace, e.lease, e.token, e.uid, e.lease_uid, e.holder, e.began, e.until, e.reason, e.duration_seconds,
           e.transitions, e.renewed_at, e.labels, e.has_lapsed, e.last_lapsed_at, e.all_lapses, e.created, e.first_revision
    from ending e
    returning t.revision
  ), composed as materialized (
    select e.path, e.uid, e.first_revision, e.revision, e.head || e.status as previous, e.all_lapses,
           coalesce(e.other_head, e.head)
             || lease_term_status(e.until, e.reason, e.renewed_at, e.has_lapsed, e.last_lapsed_at, e.all_lapses) as data,
           e.over and e.lapsed is not true and e.last_lapsed_at > e.now - interval '1 hour' as is_news
    from ending e
  ), announced as materialized (
    select lease_announce(array_agg(e.uid || '.' || e.all_lapses), array_agg(e.data)) from composed e where e.is_news having count(*) > 0
  ), begun as (
    insert into lease_term as t (segment, namespace, lease, token, uid, lease_uid, holder, began, duration_seconds, transitions, labels,
                                 created, revision)
    select 0, c.namespace, c.lease, c.first_token, gen_random_uuid()::text, c.lease_uid, c.holder, moment.now, c.duration, c.transitions,
           c.labels, c.first_revision + 1, c.first_revision + 1
    from change c, moment
    -- after the term that ends; where another one is open all the same, the next comparison with the leases finds it
    where c.holder is not null and (select count(*) from gone) + (select count(*) from ended) >= 0
    on conflict do nothing
    returning t.path, t.uid, t.revision, lease_term_object(t) as data
  ), counted as (
    update lease_term_segment s set terms = s.terms + e.terms
    from moment, (select count(*) as terms from ended) e
    where s.segment = moment.segment and e.terms > 0
  ), altered as (
    select 'M'::"char" as kind, e.path, e.uid, e.first_revision as revision, e.data, e.revision as previous_revision, e.previous from composed e
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

drop function lease_term_status_of;

select set_config('search_path', quote_ident(current_schema()), true);
