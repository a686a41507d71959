-- Whoever wrote a message, here or on another host, is known.
alter table task_message validate constraint task_message_has_author;
