create or replace function invoice_clock() returns timestamptz language sql volatile as $$
  select clock_timestamp()
$$;
comment on function invoice_clock() is
  'The time of issue of an invoice. A function, so that a test can choose the time.';
