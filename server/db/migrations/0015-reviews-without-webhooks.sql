-- What people write on GitHub about a pull request is found also where no webhook arrives.

alter table pull_request add column reviews_known_until timestamptz not null default now();
comment on column pull_request.reviews_known_until is
  'Up to when, by the clock of GitHub, what people wrote about it there has been looked at; unused for one of this server.';
