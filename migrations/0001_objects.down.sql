drop view leases;
drop table objects;
