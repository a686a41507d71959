-- In a table of its own: statements of the previous release select every column of top_up.
alter table top_up drop column attended_until;
create table attended_top_up (
  top_up_id uuid primary key references top_up,
  until     timestamptz not null
);
comment on table attended_top_up is
  'Charges whose cardholder is there and may confirm them in the browser. Others have no row.';
comment on column attended_top_up.until is 'Then the charge is cancelled.';
grant select, insert on attended_top_up to guildhall_app;
