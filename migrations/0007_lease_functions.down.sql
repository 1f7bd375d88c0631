-- Fails while a trigger of a user's table calls fence().
drop function fence;
drop procedure lease_acquire, lease_renew, lease_release, lease_create_namespace, lease_leave_transaction;
drop function lease_commit_refusal, lease_put_namespace, lease_assert, lease_get, lease_write, lease_next, lease_check_acquirable;
drop table lease_assertion, lease_fence, lease_token;
drop function lease_check_assertion, lease_enter, lease_refuse_token, lease_term_of, lease_sweep, lease_notify, lease_revision,
  lease_new_data, lease_data, lease_owners, lease_fields, lease_changes, lease_spec, lease_at;
drop type lease_state;
drop function lease_expiry, lease_term, lease_whole_time, lease_micro_time, lease_string, lease_seconds, lease_check_holder,
  lease_check_name, lease_check_namespace, lease_permit, lease_caller, lease_grant, lease_revoke, lease_routines;
drop table lease_access;
