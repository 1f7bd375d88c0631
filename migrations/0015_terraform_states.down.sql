select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true);

do $$ begin
  if exists (select from terraform_state where newest > 0) then
    raise exception 'there are states of Terraform, which going back would delete'
      using hint = 'Save them elsewhere and delete them with DELETE .../leases/NAME/state, or delete the rows of terraform_state.';
  end if;
end $$;

drop function terraform_state_change;
drop table terraform_state_version, terraform_state;

select set_config('search_path', quote_ident(current_schema()), true);
