create or replace function tax_within(total bigint, rate numeric) returns bigint
language sql immutable as $$
  select (round(total * rate / (100 + rate) / 10000) * 10000)::bigint
$$;
comment on function tax_within(bigint, numeric) is
  'The tax that an amount of micro-USD contains, in whole cents; the rate is in percent.';
