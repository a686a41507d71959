-- run outside a transaction
-- The words of titles and of what was said. Punctuation parts them, so that a word of a path or of
-- an address is found, too. `left` keeps every row below the 1 MB that a tsvector may have.
create index concurrently task_title_words on task
  using gin (to_tsvector('simple', regexp_replace(title, '[!-/:-@[-`{-~]', ' ', 'g')));
create index concurrently task_message_words on task_message
  using gin (to_tsvector('simple',
    regexp_replace("left"(content, 100000), '[!-/:-@[-`{-~]', ' ', 'g')));
