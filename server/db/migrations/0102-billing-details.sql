-- What invoices say of the customer: docs/decisions/0060-invoices.md.

create table billing_details (
  id            uuid primary key references billing_account,
  name          text check (length(name) between 1 and 200),
  address       text[] check (cardinality(address) between 1 and 6),
  country       text check (country ~ '^[A-Z]{2}$'),
  tax_id        text check (length(tax_id) between 1 and 50),
  email         text check (email = btrim(email) and position('@' in email) > 1 and length(email) <= 320),
  mail_receipts boolean not null default false,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now()
);
comment on table billing_details is
  'What invoices say of a customer: one row for each account of a person or a workspace.';
comment on column billing_details.id is 'The id of the account.';
comment on column billing_details.address is 'The lines below the name, without the country.';
comment on column billing_details.country is 'ISO 3166-1 alpha-2.';
comment on column billing_details.email is 'Where receipts go; without it, to the person who pays.';
comment on column billing_details.mail_receipts is 'Whether receipts are mailed at all.';
grant select, insert, update on billing_details to guildhall_app;

create function open_billing_details() returns trigger language plpgsql as $$
begin
  insert into billing_details (id) values (new.id);
  return null;
end $$;
comment on function open_billing_details() is 'Makes the billing details of a new account.';
create trigger billing_account_has_details after insert on billing_account
  for each row when (new.kind <> 'system') execute function open_billing_details();
insert into billing_details (id) select id from billing_account where kind <> 'system';
