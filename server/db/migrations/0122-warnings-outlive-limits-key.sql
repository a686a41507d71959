-- The name stays, because servers of the previous release insert with it. Without the foreign key, a
-- warning stays when its limit is removed.
alter table spend_limit_warning
  drop constraint spend_limit_warning_once,
  drop constraint spend_limit_warning_limit_id_fkey;
alter table spend_limit_warning
  add constraint spend_limit_warning_once unique using index spend_limit_warning_once_of_subject;
