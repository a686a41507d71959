-- What a replica must have replayed before it answers reads.

create table database_timeline (
  system_identifier bigint not null,
  timeline          integer not null check (timeline > 0),
  id                uuid not null unique default gen_random_uuid(),
  primary key (system_identifier, timeline)
);
comment on table database_timeline is
  'A mark in the write-ahead log of each timeline on which a server with DATABASE_REPLICA_URLS has found its primary. Positions of two timelines cannot be compared: a replica that lacks the mark follows another primary, or has what was lost when this one was promoted.';
grant select, insert on database_timeline to guildhall_app;
