alter table role
  validate constraint role_name_taken,
  validate constraint role_slug_is_not_built_in;
