create or replace function note_invoice_due() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into invoice_due (transfer_key, top_up_id)
  values (new.idempotency_key, new.reference_id);
  return null;
end $$;
comment on function note_invoice_due() is
  'Notes that a new posting needs an invoice, a credit note or a debit note.';
