-- Throwaway Odoos run the branch of their task, and tests of Odoo are checks.

alter table erp_instance
  add column offered_sha text check (offered_sha ~ '^[0-9a-f]{40,64}$'),
  add column commit_sha text check (commit_sha ~ '^[0-9a-f]{40,64}$'),
  add column broken_sha text check (broken_sha ~ '^[0-9a-f]{40,64}$'),
  add column problem text check (length(problem) between 1 and 20000),
  add constraint erp_instance_problem_of_a_commit check (problem is not null or broken_sha is null);
comment on column erp_instance.offered_sha is
  'The commit of the branch that it was started with last; another one starts it again.';
comment on column erp_instance.commit_sha is
  'The commit whose modules it runs; null where it runs none of the repository.';
comment on column erp_instance.broken_sha is
  'The commit whose modules Odoo could not install or update; it then runs commit_sha.';
comment on column erp_instance.problem is
  'Why it does not run what was offered: the end of what Odoo has said, or a sentence.';

alter table check_run
  add column kind text not null default 'shell' check (kind in ('shell', 'odoo')),
  add column failures jsonb check (jsonb_typeof(failures) = 'array');
comment on column check_run.kind is
  'odoo: the tests of the Odoo modules of the commit, where command is the value of --test-tags.';
comment on column check_run.failures is
  'The tests that have failed, as their log tells: objects with test, file and text.';
