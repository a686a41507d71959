-- run outside a transaction

-- Dead mail waits for an operator; what ended otherwise is deleted after a while.
create index concurrently mail_dead on mail (created_at desc, id desc) where status = 'dead';
create index concurrently mail_ended on mail (ended_at) where status in ('sent', 'obsolete');
