-- Whoever wrote a message, here or on GitHub, is known.
alter table task_message validate constraint task_message_has_author;
