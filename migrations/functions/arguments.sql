-- Arguments of the procedures. What cannot be right is refused with invalid_parameter_value.

create or replace function @extschema@.lease_check_namespace(given text) returns void immutable language plpgsql as $$
begin
  if length(given) <= 63 and given collate "C" ~ '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' then return; end if;
  raise exception 'invalid namespace "%": it must be a lowercase RFC 1123 label', given using errcode = 'invalid_parameter_value';
end $$;

create or replace function @extschema@.lease_check_name(given text) returns void immutable language plpgsql as $$
begin
  if length(given) <= 253 and given collate "C" ~ '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$' then return; end if;
  raise exception 'invalid lease name "%": it must be a lowercase RFC 1123 subdomain', given using errcode = 'invalid_parameter_value';
end $$;

create or replace function @extschema@.lease_check_holder(given text) returns void immutable language plpgsql as $$
begin
  if length(given) between 1 and 1024 then return; end if;
  raise exception 'invalid holder: it must have 1 to 1024 characters' using errcode = 'invalid_parameter_value';
end $$;

-- Rounded up, so that others never count less than the holder does.
create or replace function @extschema@.lease_seconds(given interval) returns integer immutable language plpgsql as $$
declare
  seconds constant numeric := ceil(extract(epoch from given)::numeric);
begin
  if seconds between 1 and 2147483647 then return seconds; end if;
  raise exception 'invalid duration %: it must be positive, and at most 2147483647 seconds', coalesce(given::text, 'null')
    using errcode = 'invalid_parameter_value';
end $$;

revoke all on function lease_check_namespace, lease_check_name, lease_check_holder, lease_seconds from public;
