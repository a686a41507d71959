-- What is done every hour is done by one process of many: the one that finds its time come.
create table hourly_work (
  name text primary key check (length(name) between 1 and 100),
  next_at timestamptz not null
);
grant select, insert, update on hourly_work to guildhall_app;
