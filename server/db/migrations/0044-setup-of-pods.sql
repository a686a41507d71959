alter table pod add column set_up_for text check (length(set_up_for) = 64);
comment on column pod.set_up_for is
  'A hash of the setup that had succeeded at set_up_at and of the files that its result depends on: when another one is wanted, a turn runs the setup again. Null for pods of earlier releases.';
