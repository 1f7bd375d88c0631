-- Terms as objects, and what changes them (docs/terms.md, docs/decisions/0027-terms.md, docs/decisions/0029-lapses.md).

-- What a term as an object has before its status, with this duration. Names and labels are checked before they are stored, and have no
-- character that lease_string replaces.
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
create or replace function lease_term_status_of(until text, reason text, renewed text, lapsed boolean, lapsed_at text, lapses integer)
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

create or replace function lease_term_status(until timestamptz, reason text, renewed timestamptz, lapsed boolean, lapsed_at timestamptz, lapses integer)
returns text language sql stable as $$
  select lease_term_status_of(lease_micro_time(until), reason, lease_micro_time(renewed), lapsed, lease_micro_time(lapsed_at), lapses)
$$;

-- A term as the API serves it. Fields are in the order of the server's schema.
create or replace function lease_term_object(term lease_term) returns text language sql stable as $$
  select lease_term_head(term, term.duration_seconds)
      || lease_term_status(term.until, term.reason, term.renewed, term.lapsed, term.lapsed_at, term.lapses)
$$;

-- Queues lapses to be announced, if anybody does that, up to some 100,000 of them: servers that announce them count every few seconds, because
-- the revision counter is locked here. Whoever calls it leaves out what is no news.
create or replace function lease_announce(ids text[], terms text[]) returns void language plpgsql set search_path from current as $$
begin
  if not exists (select from lease_announcing a where a.until > clock_timestamp() and a.queued < 100000) then return; end if;
  insert into lease_announcement (id, term, made, due)
  select announced.id, announced.term, clock_timestamp(), clock_timestamp()
  from unnest(ids, terms) as announced(id, term)
  on conflict do nothing;
end
$$;

-- Ends and begins terms in the caller's transaction, which must have locked the revision counter: nothing else changes terms.
--
-- Each element of `changes` names a lease (namespace, lease) and ends its open term (`reason`), begins one (`holder`), or both. It may take
-- the revisions after + 2n - 1 and after + 2n, where n is its number. The changes are logged as those of objects are, and returned.
--
-- An element has: lease_uid, holder, duration, transitions, labels; the revision of the write that begins the term (token), or how many
-- revisions before `after` that was (ago); of a term that ends: reason, held_by (the holder that the writer replaced), held_duration, renewed
-- and expires (when the time of that holder is over), and ends, its token, if no other term may end. What cannot be read as renewed or expires
-- is as if it were not given. Instead of these it may have renewed_at and expires_at: times as lease_micro_time writes them, which PostgreSQL
-- must be able to read.
--
-- A term that ends after its holder's time was over has lapsed, whether or not anybody has noticed in time. It is deleted and added, which is
-- faster than an update that moves it to another segment. It is found by its key, whatever PostgreSQL believes of the table: `lateral ...
-- offset 0` is looked up once for each change, and a row whose place is given is read by it.
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

-- Marks open terms as lapsed, or as no longer lapsed, in the caller's transaction, which must have locked the revision counter.
--
-- Each element of `changes` names a lease (namespace, lease), the revision that it must still have (lease_revision), when its holder's time
-- is over (expires; absent: never), and what its term becomes (lapsed). It takes effect if this clock says so too, and if the term is not
-- that already. It may take the revision after + n, where n is its number. The changes are logged as those of objects are, and returned.
create or replace function lease_lapse_terms(after bigint, log_segment integer, changes jsonb)
returns table (revision bigint, kind "char", path text, uid text, data text, previous_revision bigint, previous text)
language plpgsql set search_path from current
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan set jit = off as $$
#variable_conflict use_column
begin
  return query
  with change as materialized (
    select c.*, lease_time(c.expires) as over_at, after + c.number as change_revision
    from rows from (jsonb_to_recordset(changes) as (
      namespace text, lease text, lease_revision bigint, expires text, lapsed boolean
    )) with ordinality as c(namespace, lease, lease_revision, expires, lapsed, number)
  ), moment as materialized (
    select clock_timestamp() as now
  ), before as materialized (
    select c.lapsed, c.change_revision, c.over_at, moment.now, open.*
    from change c cross join moment cross join lateral (
      select from objects o
      where o.resource = 'leases.coordination.k8s.io' and o.path = c.namespace || '/' || c.lease and o.revision = c.lease_revision
      offset 0
    ) held cross join lateral (
      select t.ctid as place, t.revision as previous_revision, lease_term_head(t, t.duration_seconds) as head,
             lease_term_status(t.until, t.reason, t.renewed, t.lapsed, t.lapsed_at, t.lapses) as status
      from lease_term t
      where t.segment = 0 and t.lease = c.lease and t.namespace = c.namespace
        and coalesce(t.lapsed, false) <> c.lapsed and coalesce(c.over_at <= moment.now, false) = c.lapsed
      offset 0
    ) open
  ), altered as (
    update lease_term_0 t
    set revision = b.change_revision, lapsed = b.lapsed,
        lapsed_at = case when b.lapsed then greatest(b.over_at, t.began) else t.lapsed_at end,
        lapses = coalesce(t.lapses, 0) + b.lapsed::integer
    from before b
    where t.ctid = b.place
    returning t.path, t.uid, t.revision, b.previous_revision, b.head || b.status as previous,
              b.head || lease_term_status(t.until, t.reason, t.renewed, t.lapsed, t.lapsed_at, t.lapses) as data,
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

-- The leases of a page that may disagree with their open terms: those after a path, at most so many. Each row has `last`, the path at which the page
-- ends; without such a lease there is one, with nothing else. Text that differs from what the server writes disagrees, and so do holders that
-- terms keep shortened: the reader compares them exactly. Each term is looked up by its key, whatever PostgreSQL believes of the table.
create or replace function lease_compare_terms(after text, most integer)
returns table (last text, path text, uid text, revision bigint, data text, holder text, token bigint, term_uid text)
language sql stable set search_path from current
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
  with page as materialized (
    select o.path, o.uid, o.revision, o.data from objects o
    where o.resource = 'leases.coordination.k8s.io' and o.path > after order by o.path limit most
  )
  select ending.last, d.path, d.uid, d.revision, d.data, d.holder, d.token, d.term_uid
  from (select max(p.path) as last from page p) ending left join (
    select p.*, open.holder, open.token, open.term_uid
    from page p left join lateral (
      select t.holder, t.token, t.lease_uid as term_uid from lease_term t
      where t.segment = 0 and t.lease = split_part(p.path, '/', 2) and t.namespace = split_part(p.path, '/', 1)
      offset 0
    ) open on true
    where case when open.token is null then strpos(p.data, '"holderIdentity":') > 0 and strpos(p.data, ',"spec":{"holderIdentity":""') = 0
               else open.term_uid <> p.uid or strpos(p.data, ',"spec":{"holderIdentity":' || lease_string(open.holder)) = 0 end
  ) d on true
  where ending.last is not null
$$;

-- For psql users.
create or replace view lease_terms as
select namespace, lease, holder, token, began, until, reason, duration_seconds, transitions, renewed, lease_uid, uid,
       lease_json(labels) as labels, coalesce(lapsed, false) as lapsed, lapsed_at, coalesce(lapses, 0) as lapses
from lease_term;

create or replace function lease_terms_are_read_only() returns trigger language plpgsql as $$
begin
  raise exception 'the view lease_terms is read-only: terms are written with their leases' using errcode = 'wrong_object_type';
end
$$;

create or replace trigger lease_terms_are_read_only instead of insert or update or delete on lease_terms
for each row execute function lease_terms_are_read_only();

revoke all on function lease_term_head, lease_term_status_of, lease_term_status, lease_term_object, lease_announce, lease_change_terms,
  lease_lapse_terms, lease_compare_terms, lease_terms_are_read_only from public;
