create or replace function begin_repository() returns trigger language plpgsql as $$
begin
  insert into repository (project_id, host, full_name) values (new.id, 'local', 'main');
  insert into merge_target (project_id, branch, stage) values (new.id, 'main', 'production');
  return null;
end $$;
comment on function begin_repository() is
  'Gives a new project a repository of this server, whose main branch is production.';
