#!/bin/bash
# Checks that PostgreSQL has its role: a primary that accepts connections, or a standby that receives changes.
set -euo pipefail
# The first start listens only on a socket until the database is created.
pg_isready --quiet --host=127.0.0.1 --username=coordination --dbname=coordination
if [ "$PRIMARY" = "$SELF" ]; then
  asked='not pg_is_in_recovery()'
else
  asked="exists (select from pg_stat_wal_receiver where status = 'streaming')"
fi
[ "$(psql --no-psqlrc --no-align --tuples-only --username=coordination --dbname=coordination --command="select $asked")" = t ]
