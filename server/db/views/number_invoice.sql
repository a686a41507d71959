-- The counter is locked until the transaction ends, so a number that is rolled back is given again.
-- The time is read under the lock, so that numbers and times have one order. A transaction that
-- waited for the lock over the end of a year takes the counter of the new one.
create or replace function number_invoice() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  loop
    new.year := extract(year from invoice_clock() at time zone 'UTC');
    insert into invoice_counter (prefix, year) values (new.prefix, new.year)
      on conflict do nothing;
    perform from invoice_counter where prefix = new.prefix and year = new.year for update;
    new.issued_at := invoice_clock();
    exit when new.year = extract(year from new.issued_at at time zone 'UTC');
  end loop;
  update invoice_counter set last = last + 1
   where prefix = new.prefix and year = new.year
  returning last into new.sequence;
  new.number := new.prefix || new.year || '-'
    || lpad(new.sequence::text, greatest(6, length(new.sequence::text)), '0');
  return new;
end $$;
comment on function number_invoice() is 'Gives a new invoice the next number of its series.';
