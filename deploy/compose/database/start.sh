#!/bin/bash
# Starts PostgreSQL as the service $SELF: as the primary if $PRIMARY names it, otherwise as its synchronous standby.
# A standby that $PRIMARY names is promoted. A former primary refuses to start as a standby before its data is removed.
set -euo pipefail
user=coordination
PGPASSWORD=$(</secrets/password)
export PGPASSWORD POSTGRES_USER=$user POSTGRES_DB=$user POSTGRES_PASSWORD=$PGPASSWORD
copying=$PGDATA/copying
slot=${SELF//-/_}

as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"; }
here() { psql --no-psqlrc --quiet --no-align --tuples-only --username="$user" --dbname="$user" "$@"; }
at_primary() { here --host="$PRIMARY" --set=ON_ERROR_STOP=1 "$@"; }

# Commits here do not wait for a standby: there may be none yet.
let_me_in() {
  local password
  password=$(</secrets/standby-password)
  at_primary >/dev/null <<SQL
set synchronous_commit = local;
select 'create role standby' where not exists (select from pg_roles where rolname = 'standby') \gexec
alter role standby with login replication password '$password';
select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '$slot' and not active;
select pg_create_physical_replication_slot('$slot', true) where not exists (select from pg_replication_slots where slot_name = '$slot');
SQL
}

# PG_VERSION is copied last: without it the copy is incomplete and is repeated.
copy_primary() {
  until let_me_in; do
    echo "$SELF: waiting for the primary $PRIMARY"
    sleep 1
  done >&2
  rm -rf "$copying"
  find "$PGDATA" -mindepth 1 -delete
  install -d -o postgres -m 0700 "$copying"
  as_postgres env --unset=PGPASSWORD pg_basebackup --dbname="$conninfo" --pgdata="$copying" --slot="$slot" --checkpoint=fast
  # Not copied: once promoted, this server would wait for itself.
  sed -i '/^synchronous_standby_names/d' "$copying/postgresql.auto.conf"
  as_postgres touch "$copying/standby.signal"
  find "$copying" -mindepth 1 -maxdepth 1 ! -name PG_VERSION -exec mv -t "$PGDATA" {} +
  sync
  mv "$copying/PG_VERSION" "$PGDATA"
  rmdir "$copying"
}

# Set only once changes arrive: before that, no write could commit.
be_waited_for() {
  until [ "$(here --command="select status from pg_stat_wal_receiver" 2>/dev/null)" = streaming ] \
    && at_primary --command="alter system set synchronous_standby_names = 'FIRST 1 (\"$SELF\")'" --command='select pg_reload_conf()' >/dev/null; do
    sleep 1
  done
  echo "$SELF: the primary $PRIMARY waits for this standby from now on" >&2
}

promote() {
  until here --command='select pg_promote()' >/dev/null 2>&1; do sleep 1; done
  echo "$SELF: promoted" >&2
}

# Mounted volumes belong to root at first.
install -d -o postgres -m 2775 /run/postgresql
chown postgres "$PGDATA"
chmod 0700 "$PGDATA"
if [ "$PRIMARY" != "$SELF" ]; then
  passfile=/run/postgresql/standby.pgpass
  install -o postgres -m 0600 <(printf '*:*:*:standby:%s\n' "$(</secrets/standby-password)") "$passfile"
  conninfo="host=$PRIMARY user=standby passfile=$passfile application_name=$SELF"
  set -- "$@" -c "primary_conninfo=$conninfo" -c "primary_slot_name=$slot"
  if [ ! -s "$PGDATA/PG_VERSION" ]; then
    copy_primary
  elif [ ! -e "$PGDATA/standby.signal" ]; then
    echo "$SELF: was a primary, and $PRIMARY is to be primary now: remove the data of $SELF to make a standby of it" >&2
    exit 1
  fi
  (be_waited_for &)
elif [ -e "$PGDATA/standby.signal" ]; then
  (promote &)
fi
unset PGPASSWORD
exec docker-entrypoint.sh "$@"
