create or replace function without_person(
  content text, person uuid, address text, person_name text, is_about boolean)
  returns text language sql immutable parallel safe
  return (
    select case when person_name is not null
                 and (is_about or position(person::text in erased.content) > 0)
                then replace(erased.content, to_json(person_name)::text, '"Former member"')
                else erased.content end
      from (select regexp_replace(
                     content,
                     '(?<![a-z0-9._%+-])'
                       || regexp_replace(address, '([][\\.+*?(){}|^$-])', '\\\1', 'g')
                       || '(?![a-z0-9-]|\.[a-z0-9])',
                     person::text || '@former.invalid', 'gi') as content) erased);
comment on function without_person(text, uuid, text, text, boolean) is
  'A text without the address of a person, and, if it is about them or holds their id, JSON without their name.';
