-- When SQL may take a lease from its holder: no wall clock alone says so (docs/decisions/0035-no-wall-clock-frees-a-lease.md).

-- This run of PostgreSQL, this database, and this table of it, so that nothing is believed that was copied. In numbers: no setting of a session
-- changes how these are written.
create or replace function @extschema@.lease_run() returns text language sql stable as $$
  select format('%s %s %s', (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint,
                (select oid from pg_database where datname = current_database()), 'lease_seen'::regclass::oid)
$$;

-- Since when nothing is known of leases to have changed.
create or replace function @extschema@.lease_known_since(this_run text) returns timestamptz language plpgsql as $$
declare
  moment constant timestamptz := clock_timestamp();
  known timestamptz;
begin
  select s.since into known from lease_seen s where s.path = '' and s.run = this_run and s.since <= moment;
  if known is not null then return known; end if;
  insert into lease_seen values ('', this_run, 0, moment, moment, 0)
  on conflict (path) do update set run = excluded.run, since = excluded.since;
  return moment;
end $$;

-- Notes that a lease is at this revision, and answers since when and for how long it has been. Of the time between two calls at most two
-- seconds count, so that a step of the clock adds no more. Contenders do not wait for each other: one of them notes it.
create or replace function @extschema@.lease_see(wanted text, at_revision bigint, this_run text, out since timestamptz, out watched bigint) language plpgsql as $$
declare
  moment constant timestamptz := clock_timestamp();
  seen lease_seen;
begin
  select * into seen from lease_seen s where s.path = wanted for update skip locked;
  if not found then
    insert into lease_seen values (wanted, this_run, at_revision, moment, moment, 0) on conflict do nothing;
    select * into seen from lease_seen s where s.path = wanted;
  elsif seen.run <> this_run or seen.revision <> at_revision or seen.last > moment then
    update lease_seen s
    set run = this_run, revision = at_revision, since = moment, last = moment,
        watched = case when seen.run = this_run and seen.revision = at_revision then s.watched else 0 end
    where s.path = wanted returning s.* into seen;
  elsif moment - seen.last >= interval '50 milliseconds' then
    update lease_seen s set last = moment, watched = s.watched + least(floor(extract(epoch from moment - seen.last) * 1000), 2000)::bigint
    where s.path = wanted returning s.* into seen;
  end if;
  since := case when seen.run = this_run and seen.revision = at_revision then seen.since else moment end;
  watched := case when seen.run = this_run and seen.revision = at_revision then seen.watched else 0 end;
end $$;

-- Whether a lease, as it was read, may be taken from its holder. A contender with a steady clock says at which revision he has seen it, and for how
-- many milliseconds unchanged (`unchanged`): that alone counts for him. Otherwise contenders have watched it unchanged for its duration, and for as
-- long as a step of the clock can have added; or by the database's clock it has not changed for ten minutes more than its duration, and no clock steps
-- by that much: since they first saw it, a segment of the log began, or SQL renewed it, but not from before what is known began.
create or replace function @extschema@.lease_is_over(wanted text, lease lease_state, seen_at bigint, unchanged bigint) returns boolean
language plpgsql as $$
declare
  seconds constant bigint := (lease.spec ->> 'leaseDurationSeconds')::integer;
  lasts constant interval := seconds * interval '1 second';
  this_run constant text := lease_run();
  known timestamptz;
  seen record;
begin
  if seconds is null then return false; end if;
  if unchanged is not null then return coalesce(seen_at = lease.revision and unchanged >= seconds * 1000, false); end if;
  known := lease_known_since(this_run);
  select * into seen from lease_see(wanted, lease.revision, this_run);
  if seen.watched >= seconds * 1000 + 2000 then return true; end if;
  return clock_timestamp() - lasts - interval '10 minutes' >= greatest(known, least(
    seen.since,
    (select min(s.started_at) from log_segment s where s.start_revision >= lease.revision),
    -- where no owner is named, a client may have written it, by whatever clock he has
    case when (
      select bool_and(entry ->> 'manager' is not distinct from 'coordination-sql') from json_array_elements(lease.managed) as entry
      where entry #> '{fieldsV1,f:spec,f:renewTime}' is not null
    ) then lease_time(lease.spec ->> 'renewTime') end));
end $$;

-- What earlier states of these files had instead.
drop function if exists @extschema@.lease_is_over(text, lease_state);

revoke all on function lease_run, lease_known_since, lease_see, lease_is_over from public;
