-- Two addresses are one mailbox if they differ in the case of ASCII letters only. lower() by itself takes
-- a capital I with a dot for an i in some databases, and depends on their collation.
create function mailbox(address text) returns text
  language sql immutable parallel safe
  return lower(address collate "C");
comment on function mailbox(text) is
  'What an address is compared by: two with the same mailbox belong to one person.';
