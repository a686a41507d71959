-- Who asked to cancel a charge, before the card processor is asked: docs/decisions/0062-monthly-report.md.
create table top_up_cancellation (
  top_up_id  uuid primary key references top_up,
  key_id     uuid,
  session_id uuid,
  request_id text not null,
  created_at timestamptz not null default now()
);
comment on table top_up_cancellation is
  'Charges that their person has asked to cancel: whoever learns that one is cancelled records it as that person''s act. By then it may also have succeeded. Like the audit trail, without foreign keys to keys and sessions.';
comment on column top_up_cancellation.request_id is 'With the key or session, for the audit trail.';
grant select, insert on top_up_cancellation to guildhall_app;

-- Auto-reload that is paused is not looked at by itself: once, whether its card may still be charged.
insert into outbox (topic, key, payload)
select 'auto_reload_due', r.account_id, jsonb_build_object('account_id', r.account_id)
  from auto_reload r where r.enabled and r.paused_reason is not null
on conflict (topic, key) do nothing;
