-- The branch that a task begins with, if it is not the default one.

alter table task add column base text
  constraint task_base_is_branch check (is_chosen_branch(base) and base not like 'task/%');
comment on column task.base is
  'The branch that its own begins with and is to be merged into; null for the default one.';
