#!/bin/bash
# What `lock` runs for cron: writes under its token, and prints what became of it.
echo "leading $LEASE_HOLDER $LEASE_TOKEN"
sleep 0.6
if answer=$(psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set VERBOSITY=verbose "$DATABASE_URL" 2>&1 <<SQL
begin;
select coordination.lease_assert('default', '$LEASE', $LEASE_TOKEN);
insert into $REPORT_TABLE (token, writer) values ($LEASE_TOKEN, '$LEASE_HOLDER');
commit;
SQL
); then
  echo "written $LEASE_TOKEN"
elif [[ $answer == *LS001* ]]; then
  echo "refused $LEASE_TOKEN"
fi
echo "lost $LEASE_HOLDER"
