-- Terms as objects, and what changes them (docs/terms.md, docs/decisions/0027-terms.md, docs/decisions/0029-lapses.md).

-- What a term as an object has before its status, with this duration. Names and labels are checked before they are stored, and have no
-- character that lease_string replaces.
create or replace function @extschema@.lease_term_head(term lease_term, seconds integer) returns text language sql stable as $$
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
create or replace function @extschema@.lease_term_status_of(until text, reason text, renewed text, lapsed boolean, lapsed_at text, lapses integer)
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

-- A term as the API serves it. Fields are in the order of the server's schema.
create or replace function @extschema@.lease_term_object(term lease_term) returns text language sql stable as $$
  select lease_term_head(term, term.duration_seconds)
      || lease_term_status_of(lease_micro_time(term.until), term.reason, lease_micro_time(term.renewed), term.lapsed,
                              lease_micro_time(term.lapsed_at), term.lapses)
$$;

-- Queues lapses to be announced, if anybody does that, up to some 100,000 of them: servers that announce them count every few seconds, because
-- the revision counter is locked here. Whoever calls it leaves out what is no news.
create or replace function @extschema@.lease_announce(ids text[], terms text[]) returns void language plpgsql set search_path from current as $$
begin
  insert into lease_announcement (id, term, made, due)
  select announced.id, announced.term, clock_timestamp(), clock_timestamp() from unnest(ids, terms) as announced(id, term)
  where exists (select from lease_announcing a where a.until > clock_timestamp() and a.queued < 100000)
  on conflict do nothing;
end $$;

-- Ends, begins and marks terms in the caller's transaction, which must have locked the revision counter: nothing else changes terms.
--
-- Each element of `changes` names a lease (namespace, lease) and ends its open term (`reason`), begins one (`holder`), or both; or it says that
-- the open term has lapsed, or no longer has (`lapsed`), which takes effect if this clock says so too. It may take the revisions after + 2n - 1
-- and after + 2n, where n is its number. The changes are logged as those of objects are, and returned.
--
-- An element has: lease_revision, if it takes effect only while the lease is at that revision (0: does not exist); lease_uid, holder, duration,
-- transitions, labels; the revision of the write that begins the term (token), or how many revisions before `after` that was (ago); of a term
-- that ends: reason, held_by (the holder that the writer replaced), held_duration, renewed, and ends, its token, if no other term may end; and
-- expires (when the time of that holder is over). What cannot be read as renewed or expires is as if it were not given. Instead of these it may
-- have renewed_at and expires_at: times as lease_micro_time writes them, which PostgreSQL must be able to read.
-- A term that ends after its holder's time has lapsed, whether or not anybody noticed. A changed term is deleted and added: an update that moves
-- it to another segment is slower. `lateral ... offset 0` is looked up by its key once for each change, whatever PostgreSQL believes of the table.
create or replace function @extschema@.lease_change_terms(after bigint, log_segment integer, changes jsonb)
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
      reason text, held_by text, held_duration integer, renewed text, renewed_at text, expires text, expires_at text, ends bigint,
      lease_revision bigint, lapsed boolean
    )) with ordinality as c(namespace, lease, lease_uid, token, ago, holder, duration, transitions, labels,
                            reason, held_by, held_duration, renewed, renewed_at, expires, expires_at, ends, lease_revision, lapsed, number)
    where c.lease_revision is null or c.lease_revision = coalesce((
      select o.revision from objects o where o.resource = 'leases.coordination.k8s.io' and o.path = c.namespace || '/' || c.lease), 0)
  ), moment as materialized (
    select newest.now, newest.segment, lease_micro_time(newest.now) as text
    from (select clock_timestamp() as now, max(segment) as segment from lease_term_segment) newest
  ), altering as materialized (
    select open.*, found.*, c.first_revision, c.last_renewed, moment.segment as last_segment,
           found.is_late and found.now_lapsed_at > moment.now - interval '1 hour' as is_news,
           open.head || lease_term_status_of(null, null, null, open.lapsed, lease_micro_time(open.lapsed_at), open.lapses) as previous,
           coalesce(open.other_head, open.head) || lease_term_status_of(
             case when found.ended > moment.now then lease_micro_time(found.ended) when found.ended is not null then moment.text end,
             found.now_reason, coalesce(c.renewed_at, lease_micro_time(c.last_renewed)), found.now_lapsed,
             case when found.now_lapsed_at = c.over_at and c.expires_at is not null then c.expires_at
                  else lease_micro_time(found.now_lapsed_at) end, found.now_lapses) as data
    from change c cross join moment cross join lateral (
      select t.ctid as place, t.*, coalesce(c.held_duration, t.duration_seconds) as duration,
             coalesce(c.lapsed, case when t.holder is not distinct from c.held_by then c.over_at <= moment.now end) as over,
             lease_term_head(t, t.duration_seconds) as head,
             case when nullif(c.held_duration, t.duration_seconds) is not null then lease_term_head(t, c.held_duration) end as other_head
      from lease_term t
      where t.segment = 0 and t.lease = c.lease and t.namespace = c.namespace and (c.ends is null or t.token = c.ends)
        and (c.lapsed is null or coalesce(t.lapsed, false) <> c.lapsed and coalesce(c.over_at <= moment.now, false) = c.lapsed)
      offset 0
    ) open cross join lateral (
      -- late, and nobody has noticed yet
      select open.over and open.lapsed is not true as is_late,
             case when c.reason is not null then greatest(moment.now, open.began) end as ended,
             case when c.reason is not null and open.holder is distinct from c.held_by then 'Unknown'
                  when c.reason in ('Replaced', 'HandedOver') and c.over_at <= moment.now then 'Expired'
                  else c.reason end as now_reason,
             case when open.over or open.lapsed then coalesce(open.over, open.lapsed) end as now_lapsed,
             case when open.over and open.lapsed is not true then greatest(c.over_at, open.began) else open.lapsed_at end as now_lapsed_at,
             case when open.over and open.lapsed is not true then coalesce(open.lapses, 0) + 1 else open.lapses end as now_lapses
    ) found
    where c.reason is not null or c.lapsed is not null
  ), gone as (
    delete from lease_term t where t.segment = 0 and t.ctid = any (array(select place from altering)) returning t.token
  ), returned as (
    insert into lease_term as t (segment, namespace, lease, token, uid, lease_uid, holder, began, until, reason, duration_seconds, transitions,
                                 renewed, labels, lapsed, lapsed_at, lapses, created, revision)
    select case when a.ended is null then 0 else a.last_segment end, a.namespace, a.lease, a.token, a.uid, a.lease_uid, a.holder, a.began, a.ended, a.now_reason, a.duration,
           a.transitions, a.last_renewed, a.labels, a.now_lapsed, a.now_lapsed_at, a.now_lapses, a.created, a.first_revision
    from altering a
    where (select count(*) from gone) >= 0
    returning t.segment
  ), announced as materialized (
    select lease_announce(array_agg(a.uid || '.' || a.now_lapses), array_agg(a.data)) from altering a where a.is_news having count(*) > 0
  ), begun as (
    insert into lease_term as t (segment, namespace, lease, token, uid, lease_uid, holder, began, duration_seconds, transitions, labels,
                                 created, revision)
    select 0, c.namespace, c.lease, c.first_token, gen_random_uuid()::text, c.lease_uid, c.holder, moment.now, c.duration, c.transitions,
           c.labels, c.first_revision + 1, c.first_revision + 1
    from change c, moment
    -- after the term that ends; where another one is open all the same, the next comparison with the leases finds it
    where c.holder is not null and (select count(*) from returned) >= 0
    on conflict do nothing
    returning t.path, t.uid, t.revision, lease_term_object(t) as data
  ), counted as (
    update lease_term_segment s set terms = s.terms + e.terms
    from moment, (select count(*) as terms from returned r where r.segment > 0) e
    where s.segment = moment.segment and e.terms > 0
  )
  insert into revision_log as l (segment, kind, resource, path, uid, revision, terminating, data,
                                 previous_revision, previous_uid, previous_terminating, previous)
  select log_segment, 'M'::"char", 'leaseterms.history.coordination-apiserver.dev', a.path, a.uid, a.first_revision, false, a.data,
         a.revision, a.uid, false, a.previous
  from altering a where (select count(*) from announced) >= 0
  union all
  select log_segment, 'A', 'leaseterms.history.coordination-apiserver.dev', b.path, b.uid, b.revision, false, b.data, null, null, null, null
  from begun b
  returning l.revision, l.kind, l.path, l.uid, l.data, l.previous_revision, l.previous;
end $$;

-- The leases of a page that may disagree with their open terms: those after a path, at most so many. Each row has `last`, the path at which the
-- page ends; without such a lease there is one, with nothing else. Text that the server does not write disagrees, and so do holders that terms
-- keep shortened: the reader compares exactly.
create or replace function @extschema@.lease_compare_terms(after text, most integer)
returns table (last text, path text, uid text, revision bigint, data text, holder text, token bigint, term_uid text)
language sql stable set search_path from current
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
  with page as materialized (
    select o.path, o.uid, o.revision, o.data from objects o
    where o.resource = 'leases.coordination.k8s.io' and o.path > after order by o.path limit most
  )
  select ending.last, p.path, p.uid, p.revision, p.data, open.holder, open.token, open.term_uid
  from (select max(p.path) as last from page p) ending left join (
    page p left join lateral (
      select t.holder, t.token, t.lease_uid as term_uid from lease_term t
      where t.segment = 0 and t.lease = split_part(p.path, '/', 2) and t.namespace = split_part(p.path, '/', 1)
      offset 0
    ) open on true
  ) on case when open.token is null then strpos(p.data, '"holderIdentity":') > 0 and strpos(p.data, ',"spec":{"holderIdentity":""') = 0
            else open.term_uid <> p.uid or strpos(p.data, ',"spec":{"holderIdentity":' || lease_string(open.holder)) = 0 end
  where ending.last is not null
$$;

-- For psql users.
create or replace view @extschema@.lease_terms as
select namespace, lease, holder, token, began, until, reason, duration_seconds, transitions, renewed, lease_uid, uid,
       lease_json(labels) as labels, coalesce(lapsed, false) as lapsed, lapsed_at, coalesce(lapses, 0) as lapses
from lease_term;

create or replace trigger lease_terms_are_read_only instead of insert or update or delete on lease_terms
for each row execute function leases_are_read_only('terms are written with their leases');

revoke all on function lease_term_head, lease_term_status_of, lease_term_object, lease_announce, lease_change_terms,
  lease_compare_terms from public;

-- What earlier states of these files had besides.
drop function if exists lease_lapse_terms(bigint, integer, jsonb), lease_data(json, text, text), lease_terms_are_read_only(),
  lease_term_status(timestamptz, text, timestamptz, boolean, timestamptz, integer);
