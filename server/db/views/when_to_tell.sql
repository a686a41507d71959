create or replace function when_to_tell(
  at timestamptz, daily_at time, quiet_from time, quiet_until time, zone text
) returns timestamptz language plpgsql stable as $$
declare
  here timestamp;
  due timestamp;
begin
  begin
    here := at at time zone zone;
  exception when invalid_parameter_value then
    -- Another version of PostgreSQL may not know it.
    zone := 'UTC';
    here := at at time zone zone;
  end;
  if daily_at is not null then
    due := here::date + daily_at;
  elsif quiet_from < quiet_until and (here::time < quiet_from or here::time >= quiet_until)
     or quiet_from > quiet_until and here::time < quiet_from and here::time >= quiet_until
     or quiet_from is null
  then
    return at;
  else
    due := here::date + quiet_until;
  end if;
  if due <= here then due := due + interval '1 day'; end if;
  return due at time zone zone;
end $$;
comment on function when_to_tell is
  'When a person is told of what happens at a time: at once, after their quiet hours, or, with `daily_at`, at that time of the day.';
