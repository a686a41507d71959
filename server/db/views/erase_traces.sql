create or replace function erase_traces(
  place text, first_block bigint, blocks bigint, person uuid, address text, person_name text)
  returns table (changed bigint, ended boolean) language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
declare
  -- Where texts hold what people are called, and what they said.
  columns text[] := case place
    when 'audit_event' then '{before,after}'
    when 'idempotency_key' then '{body,brief_body}'
    when 'webhook_event' then '{body}'
    when 'webhook_delivery' then '{body,answer}'
    when 'notification' then '{data}'
    when 'notification_event' then '{data}'
    when 'github_delivery' then '{subject}'
    when 'task_event_outbox' then '{payload}'
    when 'task_message' then '{content}'
    when 'task_turn' then '{prompt}'
    when 'agent_request' then '{title,answer_text}'
    when 'plan_comment' then '{text}'
    when 'diff_comment' then '{text}'
    when 'github_review' then '{text}'
    when 'pull_request' then '{title,body}'
    when 'routine' then '{message}'
  end::text[];
  first tid := format('(%s,0)', first_block)::tid;
  behind tid := format('(%s,0)', first_block + blocks)::tid;
  is_about text := '(coalesce($3::text in (t.target_id, t.actor_user_id::text), false))';
  erasing text := case place
    when 'audit_event' then 'erased_entry(t.%1$I, $3, $4, $5, ' || is_about || ', '
                            || is_about || ' and t.organization_id is null)'
    else 'without_person(t.%1$I::text, $3, $4, $5, false)::%2$s' end;
  found text;
  erased text;
begin
  ended := first_block + blocks
           >= pg_relation_size(place::regclass) / current_setting('block_size')::bigint;
  if place in ('mail', 'invitation', 'sign_in_link') then
    execute format(
      'delete from %I t where t.ctid >= $1 and t.ctid < $2 and mailbox(t.%I) = mailbox($3)',
      place, case place when 'mail' then 'recipient' else 'email' end)
      using first, behind, address;
  elsif place = 'billing_details' then
    update billing_details t set email = null
     where t.ctid >= first and t.ctid < behind
       and mailbox(t.email) = mailbox(erase_traces.address);
  elsif columns is null then
    raise exception 'nothing is erased from %', place;
  else
    perform set_config(
      'guildhall.erased',
      jsonb_build_object('person', person, 'address', address, 'name', person_name)::text, true);
    select string_agg(format('t.%1$I::text is distinct from (' || erasing || ')::text', a.attname,
                             format_type(a.atttypid, a.atttypmod)), ' or '),
           string_agg(format('%1$I = ' || erasing, a.attname,
                             format_type(a.atttypid, a.atttypmod)), ', ')
      into found, erased
      from pg_attribute a where a.attrelid = place::regclass and a.attname = any (columns);
    execute format('update %I t set %s where t.ctid >= $1 and t.ctid < $2 and (%s)',
                   place, erased, found)
      using first, behind, person, address, person_name;
  end if;
  get diagnostics changed = row_count;
  -- Nothing else of this transaction may change the trail.
  perform set_config('guildhall.erased', '', true);
  return next;
end $$;
comment on function erase_traces(text, bigint, bigint, uuid, text, text) is
  'Makes a person who deleted their account a pseudonym in some blocks of a table. Returns how many rows that changed, and whether these blocks were the last ones.';
