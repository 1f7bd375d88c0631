-- The data that servers on one database share: certificates, keys, tokens. Written once, by the first server.
create table server_state (
  name  text primary key,
  value text not null
);
