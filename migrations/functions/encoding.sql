-- Stored text as values of PostgreSQL, and the reverse. No backslash is in a string but one with E: standard_conforming_strings is the caller's.

-- text and jsonb hold no U+0000 and no half of a surrogate pair: they become U+FFFD.
create or replace function @extschema@.lease_json(data text) returns jsonb language plpgsql immutable as $$
begin
  return data::jsonb;
exception when others then
  begin
    return regexp_replace(data, E'\\\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', E'\\\\ufffd', 'g')::jsonb;
  exception when others then
    return null;
  end;
end $$;

-- Null for what is no time here, as the year 0. Strict, because a block with an exception costs a subtransaction even where nothing is written.
create or replace function @extschema@.lease_time(written text) returns timestamptz language plpgsql stable strict as $$
begin
  return written::timestamptz;
exception when others then
  return null;
end $$;

-- A stored object, with U+FFFD where it has U+0000, and U+FFFE before the digits of half a surrogate pair, which only fieldsV1 can have: without that,
-- PostgreSQL refuses to read anything of it. In this form, unlike any that the server stores, so that lease_as_stored finds it.
create or replace function @extschema@.lease_readable(data text) returns json immutable language plpgsql as $$
begin
  if strpos(data, chr(92) || 'u0000') = 0 and strpos(data, chr(92) || 'ud') = 0 then return data; end if;
  return regexp_replace(regexp_replace(data, E'(?<![\\x5c])((?:[\\x5c]{2})*)[\\x5c]u0000', E'\\1\\\\ufffd', 'g'),
                        E'(?<![\\x5c])((?:[\\x5c]{2})*)[\\x5c]u(d[89a-f])', E'\\1\\\\ufffe\\2', 'g');
end $$;

-- The reverse.
create or replace function @extschema@.lease_as_stored(data text) returns text immutable language plpgsql as $$
begin
  if strpos(data, chr(92) || 'ufff') = 0 then return data; end if;
  return regexp_replace(regexp_replace(data, E'(?<![\\x5c])((?:[\\x5c]{2})*)[\\x5c]ufffd', E'\\1\\\\u0000', 'g'),
                        E'(?<![\\x5c])((?:[\\x5c]{2})*)[\\x5c]ufffe(d[89a-f])', E'\\1\\\\u\\2', 'g');
end $$;

-- A string as the server writes it (src/apimachinery/go/go-string.ts): JSON without `<`, `>`, `&` and the line separators.
create or replace function @extschema@.lease_string(given text) returns text stable language sql as $$
  select replace(replace(replace(replace(replace(to_json(given)::text,
    '<', E'\\u003c'), '>', E'\\u003e'), '&', E'\\u0026'), chr(8232), E'\\u2028'), chr(8233), E'\\u2029')
$$;

create or replace function @extschema@.lease_micro_time(given timestamptz) returns text stable language sql as $$
  select to_char(given at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

create or replace function @extschema@.lease_whole_time(given timestamptz) returns text stable language sql as $$
  select to_char(given at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;

revoke all on function lease_readable, lease_as_stored, lease_string, lease_micro_time, lease_whole_time from public;
