-- Workers that have other repositories would go on with tasks whose commits they do not have.
create table repository_folder (
  id          uuid not null,
  only_one    boolean primary key default true check (only_one),
  place       text not null check (length(place) between 1 and 5000),
  recorded_at timestamptz not null default now()
);
comment on table repository_folder is
  'The folder of repositories in which tasks are worked on: one for all workers of this database.';
comment on column repository_folder.id is 'As in the file guildhall-id of that folder.';
comment on column repository_folder.place is
  'The machine and path where it was first used, for people.';
grant select, insert on repository_folder to guildhall_app;
