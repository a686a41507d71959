-- What people write on Gitea and Forgejo about a pull request reaches the agent of its task, too.

-- A task has one pull request on one host, so its reviews are told apart by the ids of that host alone,
-- which others may have given as well.
alter table github_review drop constraint github_review_once;
alter table github_review add constraint github_review_once unique (task_id, kind, host_id);
comment on table github_review is
  'A review or a comment that mentions the App on GitHub, or the account of a connection on Gitea: it becomes a message of its task once, and is answered there once.';
comment on column github_review.host_id is
  'The id that the host of the pull request gave it.';

alter table gitea_connection
  add column account_id bigint check (account_id > 0),
  add column account_login text check (length(account_login) between 1 and 100),
  add column account_asked_at timestamptz not null default '-infinity',
  add constraint gitea_connection_account check ((account_id is null) = (account_login is null));
comment on column gitea_connection.account_id is
  'Whose the token is there; null until the server has said, and while the token may not ask.';
comment on column gitea_connection.account_login is 'What people mention, to be heard.';
comment on column gitea_connection.account_asked_at is 'When the server was asked for both.';

alter table task_message
  add column gitea_login text check (length(gitea_login) between 1 and 100);
comment on column task_message.gitea_login is
  'Who wrote it on Gitea or Forgejo, whose accounts are linked to none here.';
-- Wider than before: servers of the previous release write nothing that it refuses.
alter table task_message drop constraint task_message_has_author;
alter table task_message add constraint task_message_has_author check (
  (role = 'user')
  = (author_user_id is not null or github_login is not null or gitea_login is not null)) not valid;

comment on column pull_request.reviews_known_until is
  'Up to when, by the clock of its host, what people wrote about it there has been looked at; unused for one of this server.';
