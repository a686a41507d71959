-- One statement, and its rows in one order, so that two batches cannot deadlock.
create or replace function add_usage_to_day() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into usage_day as d
         (account_id, day, kind, task_id, project_id, organization_id, user_id, model,
          amount, input_tokens, output_tokens, pod_seconds, events)
  select account_id, (occurred_at at time zone 'UTC')::date, kind, task_id, project_id,
         organization_id, user_id, model, sum(amount), coalesce(sum(input_tokens), 0),
         coalesce(sum(output_tokens), 0), coalesce(sum(pod_seconds), 0), count(*)
    from recorded group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 4, 3, 8, 7, 5, 6
  on conflict on constraint usage_day_is_one_row do update
     set amount = d.amount + excluded.amount,
         input_tokens = d.input_tokens + excluded.input_tokens,
         output_tokens = d.output_tokens + excluded.output_tokens,
         pod_seconds = d.pod_seconds + excluded.pod_seconds,
         events = d.events + excluded.events;
  return null;
end $$;
comment on function add_usage_to_day() is
  'Adds usage that was recorded to the sums of its day, in the same transaction.';
