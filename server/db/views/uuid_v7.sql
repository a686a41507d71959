do $do$ begin
if current_setting('server_version_num')::int >= 180000 then
  create or replace function uuid_v7() returns uuid
  language sql volatile parallel safe as 'select uuidv7()';
else
  -- The milliseconds in the first six bytes of a random id of version 4, and two bits that make it
  -- version 7. It is one expression, so that PostgreSQL inlines it.
  create or replace function uuid_v7() returns uuid language sql volatile parallel safe as $$
    select encode(
      set_bit(set_bit(
        overlay(uuid_send(gen_random_uuid())
          placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
          from 1 for 6),
        52, 1), 53, 1), 'hex')::uuid
  $$;
end if;
end $do$;
comment on function uuid_v7() is
  'An id that begins with the time, for tables that grow without end: new rows meet at the end of the index, not all over it.';
