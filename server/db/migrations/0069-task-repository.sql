-- Tasks work in the local repository `main`, on top of its branch `main`. Its code was never deleted,
-- so a project that has detached it gets it back.
insert into repository (project_id, host, full_name, created_at)
select p.id, 'local', 'main', p.created_at from project p
 where not exists (select from repository r
                    where r.project_id = p.id and r.host = 'local' and r.full_name = 'main');
update repository set default_branch = 'main'
 where host = 'local' and full_name = 'main' and default_branch <> 'main';

alter table repository
  add constraint repository_of_tasks
    check (host <> 'local' or full_name <> 'main' or default_branch = 'main') not valid;

comment on table repository is
  'A repository that a project uses. Tasks work in the local one `main`, which cannot be detached. Detaching another local one removes the row; its code stays until the project is deleted.';
