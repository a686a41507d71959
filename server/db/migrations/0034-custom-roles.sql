-- A custom role is told apart from the built-in ones, by people and by programs. The first check has
-- the name of the index that compares it with the other roles of its workspace: it is one error.
alter table role
  add constraint role_name_taken check (
    organization_id is null
    or name_key(name) not in ('owner', 'admin', 'member', 'viewer',
                              'project admin', 'project member', 'project viewer')) not valid,
  add constraint role_slug_is_not_built_in check (
    organization_id is null or slug not in ('owner', 'admin', 'member', 'viewer')) not valid;
