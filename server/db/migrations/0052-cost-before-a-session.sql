-- Agents report the cost of a session as a total, which goes on in the next turn. What the task had
-- cost before the session began tells which part of that total was charged already.
alter table pod
  add column spent_before_session_nano bigint not null default 0
    check (spent_before_session_nano >= 0);
comment on column pod.spent_before_session_nano is
  'Nano-USD that the task had cost when agent_session began.';
