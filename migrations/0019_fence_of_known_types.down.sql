-- fence() stays as it is, since servers of earlier versions work with it and what it was before let others run code as the owner of the schema.
select 1;
