create or replace function why_tasks_wait() returns text stable language sql as $$
  select case
    when exists (select from task_worker
                  where fault is null and seen_at > now() - interval '30 seconds') then null
    else coalesce((select fault from task_worker
                    where seen_at > now() - interval '30 seconds' order by fault limit 1),
                  'no_worker') end
$$;
comment on function why_tasks_wait() is
  'Why no process carries out tasks now; null while one does.';
