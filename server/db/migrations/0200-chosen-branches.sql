-- The names of branches that people choose: the rules of `git check-ref-format --branch`, no full
-- references, and what holds for every name (ruling 1.16). What hosts have named before stays.
create function is_chosen_branch(name text) returns boolean
  language sql immutable strict parallel safe
  return is_branch_name(name) and name !~ '^(HEAD$|refs/)' and is_name(name);
comment on function is_chosen_branch(text) is
  'Whether people can choose a branch by this name: one that git takes and that can be told apart by eye.';

alter table merge_target
  add constraint merge_target_chosen check (is_chosen_branch(branch)) not valid;
