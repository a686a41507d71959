-- Why the pod of a task has failed is told until the task has another one, also once it is gone.
-- Wider than before: servers of the previous release write nothing that it refuses.
alter table pod drop constraint pod_failed_for_a_reason;
alter table pod add constraint pod_failed_for_a_reason check (
  case when state = 'failed' then reason is not null
       when state not in ('destroying', 'absent') then reason is null
       else true end) not valid;
