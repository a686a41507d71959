-- Invoices and credit notes, numbered without gaps: docs/decisions/0060-invoices.md.

create table invoice_issuer (
  id                  uuid primary key default uuid_v7(),
  name                text not null check (length(name) between 1 and 200),
  address             text[] not null default '{}' check (cardinality(address) <= 6),
  country             text check (country ~ '^[A-Z]{2}$'),
  tax_id              text check (length(tax_id) between 1 and 50),
  prefix              text not null check (prefix ~ '^([A-Z0-9/-]{0,19}[A-Z/-])?$'),
  tax_name            text not null check (length(tax_name) between 1 and 50),
  tax_rates           jsonb not null default '{}',
  reverse_charge_note text not null check (length(reverse_charge_note) between 1 and 300),
  created_at          timestamptz not null default now()
);
comment on table invoice_issuer is
  'Who issues invoices, and the taxes: the operator''s settings as a server read them. The newest row counts.';
comment on column invoice_issuer.tax_rates is
  'In percent, by the country of the customer; * is every other one.';
create trigger invoice_issuer_insert_only before update or delete on invoice_issuer
  for each row execute function refuse_change();
create trigger invoice_issuer_no_truncate before truncate on invoice_issuer
  for each statement execute function refuse_change();
-- The oldest id there is, because the newest row counts.
insert into invoice_issuer (id, name, prefix, tax_name, reverse_charge_note)
values ('00000000-0000-7000-8000-000000000000', 'Guildhall', 'INV-', 'VAT', 'Reverse charge: the recipient is liable for the tax.');

create table invoice_counter (
  prefix text not null,
  year   integer not null,
  last   bigint not null default 0 check (last >= 0),
  primary key (prefix, year)
);
comment on table invoice_counter is
  'The last number of each series. Only the trigger that numbers invoices writes.';

create table invoice (
  id               uuid primary key default uuid_v7(),
  kind             text not null check (kind in ('invoice', 'credit_note', 'debit_note')),
  number           text not null unique,
  prefix           text not null,
  year             integer not null,
  sequence         bigint not null check (sequence > 0),
  issued_at        timestamptz not null,
  account_id       uuid not null references billing_account,
  top_up_id        uuid not null references top_up,
  transfer_key     text not null unique references ledger_transfer (idempotency_key),
  charged_at       timestamptz not null,
  total            bigint not null check (total > 0),
  tax              bigint not null check (tax >= 0),
  tax_rate         numeric(6, 3) not null check (tax_rate >= 0),
  tax_name         text not null,
  tax_note         text,
  customer_name    text not null,
  customer_address text[] not null,
  customer_country text,
  customer_tax_id  text,
  customer_email   text,
  issuer_name      text not null,
  issuer_address   text[] not null,
  issuer_country   text,
  issuer_tax_id    text,
  card_brand       text not null,
  card_last4       text not null,
  processor        text not null,
  constraint invoice_number_in_series unique (prefix, year, sequence),
  constraint invoice_tax_within_total check (tax <= total),
  constraint invoice_year_of_issue check (year = extract(year from issued_at at time zone 'UTC'))
);
comment on table invoice is
  'Invoices of top-ups, credit notes of refunds, and debit notes of refunds that failed later. Insert-only; all that is printed is a copy.';
comment on column invoice.total is 'Micro-USD, with tax.';
comment on column invoice.tax is 'Micro-USD, in whole cents.';
comment on column invoice.account_id is 'The account that the posting moved.';
create unique index invoice_once_a_top_up on invoice (top_up_id) where kind = 'invoice';
create index invoice_of_top_up on invoice (top_up_id);
create index invoice_of_account on invoice (account_id, issued_at, id);
create trigger invoice_insert_only before update or delete on invoice
  for each row execute function refuse_change();
create trigger invoice_no_truncate before truncate on invoice
  for each statement execute function refuse_change();

create table invoice_due (
  transfer_key text primary key references ledger_transfer (idempotency_key),
  top_up_id    uuid not null,
  created_at   timestamptz not null default now()
);
comment on table invoice_due is
  'Postings that need an invoice or a note and have none yet. Empty, but for what an earlier release posted.';
create index invoice_due_of_top_up on invoice_due (top_up_id);

create function note_invoice_due() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into invoice_due (transfer_key, top_up_id)
  values (new.idempotency_key, new.reference_id);
  return null;
end $$;
comment on function note_invoice_due() is
  'Notes that a new posting needs an invoice, a credit note or a debit note.';
create trigger ledger_transfer_needs_invoice after insert on ledger_transfer
  for each row when (new.kind in ('top_up', 'refund', 'refund_reversal'))
  execute function note_invoice_due();
insert into invoice_due (transfer_key, top_up_id)
select idempotency_key, reference_id from ledger_transfer
 where kind in ('top_up', 'refund', 'refund_reversal');

create function number_invoice() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  raise exception 'number_invoice is replaced by its view file';
end $$;
comment on function number_invoice() is 'Gives a new invoice the next number of its series.';
create trigger invoice_gets_number before insert on invoice
  for each row execute function number_invoice();

grant select on invoice_issuer, invoice_counter, invoice, invoice_due to guildhall_app;
grant insert on invoice_issuer, invoice to guildhall_app;
grant delete on invoice_due to guildhall_app;
