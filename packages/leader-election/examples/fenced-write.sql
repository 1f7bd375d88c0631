with fence as (
  insert into fence (resource, token) values ($1, $2)
  on conflict (resource) do update set token = excluded.token where fence.token <= excluded.token
  returning resource
)
update account set balance = $3 from fence where account.name = fence.resource
