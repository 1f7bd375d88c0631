create table fence (
  resource text primary key,
  token    bigint not null
);
