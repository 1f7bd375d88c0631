drop table serving_session;
