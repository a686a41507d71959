-- What the last ledger audit of any process found, so that every process reports it, also one that has just started.
create table last_ledger_audit (
  only_one   boolean primary key default true check (only_one),
  audited_at timestamptz not null,
  violations integer not null check (violations >= 0),
  top_ups    jsonb not null
);
comment on table last_ledger_audit is 'The result of the last hourly audit; no row before the first one.';
comment on column last_ledger_audit.top_ups is 'How many top-ups there were, by status.';
grant select, insert, update on last_ledger_audit to guildhall_app;
