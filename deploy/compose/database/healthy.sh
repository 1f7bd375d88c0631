#!/bin/bash
# Whether PostgreSQL is what it is to be: a primary that takes connections, or a standby to which changes come.
set -euo pipefail
# The first start runs on a socket alone until the database is made.
pg_isready --quiet --host=127.0.0.1 --username=coordination --dbname=coordination
if [ "$PRIMARY" = "$SELF" ]; then
  asked='not pg_is_in_recovery()'
else
  asked="exists (select from pg_stat_wal_receiver where status = 'streaming')"
fi
[ "$(psql --no-psqlrc --no-align --tuples-only --username=coordination --dbname=coordination --command="select $asked")" = t ]
