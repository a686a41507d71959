-- The agent of a task goes on with its session as long as its pod lives.
alter table pod
  add column agent_session text check (length(agent_session) between 1 and 300);
comment on column pod.agent_session is 'What its agent calls the conversation, to go on with it.';
