-- Servers show by rows that they use the schema. Before, they showed it by advisory locks, which anybody who may connect can take, and so keep
-- every server from writing.
create unlogged table serving_session (
  pid     integer primary key,
  -- Of the session; another one may have the same pid later.
  started timestamptz not null
) with (fillfactor = 50);
