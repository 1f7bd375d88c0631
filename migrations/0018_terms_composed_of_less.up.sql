-- A batch that ends terms holds the revision counter for a shorter time. Free text alone is looked through for characters
-- that are replaced, times that the server has checked are neither parsed by lease_time nor written anew, and what is known of a term that ends
-- is composed in one step. Results are those of 0017.
select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

-- As before. Names and labels are checked before they are stored, and have no character that lease_string replaces.
create or replace function lease_term_head(term lease_term, seconds integer) returns text language sql stable as $$
  select concat(
      '{"kind":"LeaseTerm","apiVersion":"history.coordination-apiserver.dev/v1","metadata":{"name":',
      to_json(term.lease || '.' || term.token::text),
      ',"namespace":', to_json(term.namespace),
      ',"uid":"', term.uid,
      '","creationTimestamp":"', lease_whole_time(term.began), '"',
      ',"labels":' || term.labels,
      '},"spec":{"leaseName":', to_json(term.lease),
      ',"leaseUID":', lease_string(term.lease_uid),
      ',"holder":', lease_string(term.holder),
      ',"fencingToken":"', term.token,
      '","from":"', lease_micro_time(term.began), '"',
      ',"leaseDurationSeconds":' || seconds,
      ',"leaseTransitions":' || term.transitions,
      '},"status":')
$$;

-- The rest: the status, and the end of the object. Times are given as the API writes them.
create function lease_term_status_of(until text, reason text, renewed text, lapsed boolean, lapsed_at text, lapses integer)
returns text language sql stable as $$
  select concat(
      '{"phase":"', case when until is null then 'Held"' else 'Ended"' end,
      ',"until":"' || until || '"',
      ',"reason":"' || reason || '"',
      ',"lastRenewTime":"' || renewed || '"',
      case when lapsed then ',"lapsed":true' end,
      ',"lapsedAt":"' || lapsed_at || '"',
      ',"lapses":' || lapses,
      '}}')
$$;

-- As before, of this one.
create or replace function lease_term_status(until timestamptz, reason text, renewed timestamptz, lapsed boolean, lapsed_at timestamptz, lapses integer)
returns text language sql stable as $$
  select lease_term_status_of(lease_micro_time(until), reason, lease_micro_time(renewed), lapsed, lease_micro_time(lapsed_at), lapses)
$$;

-- As before. An element may have `renewed_at` and `expires_at` instead of `renewed` and `expires`: times as lease_micro_time writes them, which
-- PostgreSQL must be able to read. What cannot be read as `renewed` or `expires` is as if it were not given.
create or replace function lease_change_terms(after bigint, log_segment integer, changes jsonb)
returns table (revision bigint, kind "char", path text, uid text, data text, previous_revision bigint, previous text)
language plpgsql set search_path from current
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan set jit = off as $$
#variable_conflict use_column
begin
  return query
  with change as materialized (
    select c.*, coalesce(c.token, after - c.ago) as first_token, after + 2 * c.number - 1 as first_revision,
           coalesce(c.renewed_at::timestamptz, lease_time(c.renewed)) as last_renewed,
           coalesce(c.expires_at::timestamptz, lease_time(c.expires)) as over_at
    from rows from (jsonb_to_recordset(changes) as (
      namespace text, lease text, lease_uid text, token bigint, ago integer, holder text, duration integer, transitions integer, labels text,
      reason text, held_by text, held_duration integer, renewed text, renewed_at text, expires text, expires_at text, ends bigint
    )) with ordinality as c(namespace, lease, lease_uid, token, ago, holder, duration, transitions, labels,
                            reason, held_by, held_duration, renewed, renewed_at, expires, expires_at, ends, number)
  ), moment as materialized (
    select newest.now, newest.segment, lease_micro_time(newest.now) as text
    from (select clock_timestamp() as now, max(segment) as segment from lease_term_segment) newest
  ), ending as materialized (
    select open.place, open.namespace, open.lease, open.token, open.path, open.uid, open.lease_uid, open.holder, open.began, open.transitions,
           open.labels, open.created, open.revision, open.duration_seconds, moment.segment, c.first_revision, c.last_renewed,
           greatest(moment.now, open.began) as until, found.reason, found.lapsed, found.lapsed_at, found.lapses,
           found.is_late and found.lapsed_at > moment.now - interval '1 hour' as is_news,
           open.head || lease_term_status(null, null, null, open.lapsed, open.lapsed_at, open.lapses) as previous,
           coalesce(open.other_head, open.head) || lease_term_status_of(
             case when open.began > moment.now then lease_micro_time(open.began) else moment.text end, found.reason,
             coalesce(c.renewed_at, lease_micro_time(c.last_renewed)), found.lapsed,
             case when found.lapsed_at = c.over_at and c.expires_at is not null then c.expires_at else lease_micro_time(found.lapsed_at) end,
             found.lapses) as data
    from change c cross join moment cross join lateral (
      select t.ctid as place, t.namespace, t.lease, t.token, t.path, t.uid, t.lease_uid, t.holder, t.began, t.transitions, t.labels, t.lapsed,
             t.lapsed_at, t.lapses, t.created, t.revision, coalesce(c.held_duration, t.duration_seconds) as duration_seconds,
             case when t.holder is not distinct from c.held_by then c.over_at <= moment.now end as over,
             lease_term_head(t, t.duration_seconds) as head,
             case when coalesce(c.held_duration, t.duration_seconds) is distinct from t.duration_seconds
                  then lease_term_head(t, coalesce(c.held_duration, t.duration_seconds)) end as other_head
      from lease_term t
      where t.segment = 0 and t.lease = c.lease and t.namespace = c.namespace and (c.ends is null or t.token = c.ends)
      offset 0
    ) open cross join lateral (
      -- late, and nobody has noticed yet
      select open.over and open.lapsed is not true as is_late,
             case when open.holder is distinct from c.held_by then 'Unknown'
                  when c.reason in ('Replaced', 'HandedOver') and c.over_at <= moment.now then 'Expired'
                  else c.reason end as reason,
             case when open.over or open.lapsed then coalesce(open.over, open.lapsed) end as lapsed,
             case when open.over and open.lapsed is not true then greatest(c.over_at, open.began) else open.lapsed_at end as lapsed_at,
             case when open.over and open.lapsed is not true then coalesce(open.lapses, 0) + 1 else open.lapses end as lapses
    ) found
    where c.reason is not null
  ), gone as (
    delete from lease_term t where t.segment = 0 and t.ctid = any (array(select place from ending)) returning t.token
  ), ended as (
    insert into lease_term as t (segment, namespace, lease, token, uid, lease_uid, holder, began, until, reason, duration_seconds, transitions,
                                 renewed, labels, lapsed, lapsed_at, lapses, created, revision)
    select e.segment, e.namespace, e.lease, e.token, e.uid, e.lease_uid, e.holder, e.began, e.until, e.reason, e.duration_seconds,
           e.transitions, e.last_renewed, e.labels, e.lapsed, e.lapsed_at, e.lapses, e.created, e.first_revision
    from ending e
    returning t.revision
  ), announced as materialized (
    select lease_announce(array_agg(e.uid || '.' || e.lapses), array_agg(e.data)) from ending e where e.is_news having count(*) > 0
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
    select 'M'::"char" as kind, e.path, e.uid, e.first_revision as revision, e.data, e.revision as previous_revision, e.previous from ending e
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

revoke all on function lease_term_status_of from public;

select set_config('search_path', quote_ident(current_schema()), true);
