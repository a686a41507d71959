create or replace function pod_time_since(seen_at timestamptz) returns bigint stable language sql as $$
  select (extract(epoch from least(greatest(now() - seen_at, '0'), '30 seconds')) * 1000)::bigint
$$;
comment on function pod_time_since(timestamptz) is
  'The milliseconds in which a pod ran since it was last seen to run: 30 seconds at most, because workers look every ten, and no one pays for the time in which none was there.';
