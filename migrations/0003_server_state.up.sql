-- What the servers on one database share: certificates, keys, tokens. Written once, by whoever comes first.
create table server_state (
  name  text primary key,
  value text not null
);
