drop table server_state;
