-- An answer that came after a worker had died is for the agent of the next attempt.
alter table agent_request
  add column attempt      integer not null default 1 check (attempt > 0),
  add column asked_at     timestamptz not null default now(),
  add column delivered_at timestamptz;
update agent_request set asked_at = created_at, delivered_at = ended_at;
comment on column agent_request.attempt is
  'The attempt of the turn that asked last: another one that asks the same takes it over.';
comment on column agent_request.asked_at is 'When that attempt asked.';
comment on column agent_request.delivered_at is
  'When an agent had the answer: from then on it answers no other question.';

-- What agents reported but nobody could pay.
alter table task_turn
  add column uncovered_nano bigint not null default 0 check (uncovered_nano >= 0);
comment on column task_turn.uncovered_nano is
  'Nano-USD that the agent has reported and that were not charged, because funds or a cap did not cover them.';
