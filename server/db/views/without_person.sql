create or replace function without_person(
  content text, person uuid, address text, person_name text, is_about boolean)
  returns text language sql immutable parallel safe
  return (
    -- A value under a key for names alone: people may be called `admin` or `role`.
    select case when person_name is not null
                 and (is_about or position(person::text in erased.content) > 0)
                then regexp_replace(
                       erased.content,
                       '("[a-z_]*name"\s*:\s*)'
                         || regexp_replace(to_json(person_name)::text,
                                           '([][\\.+*?(){}|^$-])', '\\\1', 'g'),
                       '\1"Former member"', 'g')
                else erased.content end
      from (select regexp_replace(
                     content,
                     -- In JSON, the end of a line before the address is written as a letter.
                     '(?:(?<![a-z0-9._%+-])|(?<=\\[bfnrt]))'
                       || regexp_replace(address, '([][\\.+*?(){}|^$-])', '\\\1', 'g')
                       || '(?![a-z0-9-]|\.[a-z0-9])',
                     person::text || '@former.invalid', 'gi') as content) erased);
comment on function without_person(text, uuid, text, text, boolean) is
  'A text without the address of a person, and, if it is about them or holds their id, JSON without their name.';
