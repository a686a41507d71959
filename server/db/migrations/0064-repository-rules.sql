-- Named like the error that it is answered with.
alter index repository_name rename to repository_name_taken;

-- The branches of tasks are what is merged.
alter table merge_target
  add constraint merge_target_not_of_task check (branch not like 'task/%') not valid;
