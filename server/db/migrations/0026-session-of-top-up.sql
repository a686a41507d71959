-- A charge from a browser session has no key: the audit row of its credit names the session. A table of
-- its own, so that running servers of the release before, which select all columns of top_up, go on.
create table top_up_session (
  top_up_id  uuid primary key references top_up,
  session_id uuid not null references session
);
create index top_up_session_session on top_up_session (session_id);
comment on table top_up_session is 'Which browser session asked for a charge. Charges by keys and automatic ones have no row.';
grant select, insert on top_up_session to guildhall_app;
