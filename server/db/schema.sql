-- Written by `npm run schema` from the migrations: to be read, not edited and not loaded.

CREATE OR REPLACE FUNCTION public.add_teams_to_new_project()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Locked, so that a team that is being deleted is left out.
  insert into team_project (team_id, organization_id, project_id)
  select t.id, t.organization_id, new.id
    from (select id, organization_id from team
           where organization_id = new.organization_id and add_to_new_projects
           order by id for key share) t;
  return null;
end $function$;
COMMENT ON FUNCTION add_teams_to_new_project() IS 'Adds the teams with add_to_new_projects to a project as it is created (ruling 4.5). Projects that exist are not touched.';

CREATE OR REPLACE FUNCTION public.add_usage_to_day()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
end $function$;
COMMENT ON FUNCTION add_usage_to_day() IS 'Adds usage that was recorded to the sums of its day, in the same transaction.';

CREATE OR REPLACE FUNCTION public.begin_repository()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into repository (project_id, host, full_name) values (new.id, 'local', 'main');
  insert into merge_target (project_id, branch, stage) values (new.id, 'main', 'production');
  return null;
end $function$;
COMMENT ON FUNCTION begin_repository() IS 'Gives a new project a repository of this server, whose main branch is production.';

CREATE OR REPLACE FUNCTION public.check_auto_reload()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  changed jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  accounts uuid[];
begin
  if tg_table_name = 'app_user' then
    accounts := array(
      select r.account_id
        from payment_method p join auto_reload r on r.payment_method_id = p.id
       where p.user_id = (changed ->> 'id')::uuid and r.enabled);
  else
    accounts := array(
      select r.account_id
        from billing_account a join auto_reload r on r.account_id = a.id
       where a.organization_id = (changed ->> case tg_table_name when 'organization' then 'id'
                                                                  else 'organization_id' end)::uuid
         and r.enabled);
  end if;
  -- With a key of the transaction, so that no other one waits for it.
  insert into outbox (topic, key, payload)
  select 'auto_reload_due', account || ' ' || pg_current_xact_id(),
         jsonb_build_object('account_id', account)
    from unnest(accounts) account
  on conflict (topic, key) do nothing;
  return null;
end $function$;
COMMENT ON FUNCTION check_auto_reload() IS 'Asks the background work whether auto-reload may still charge its card, after anything that can end the right of the card''s person.';

CREATE OR REPLACE FUNCTION public.check_billing_mode()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.test_money and not old.test_money
     or (new.real_since, new.void_id) is distinct from (old.real_since, old.void_id)
        and not old.test_money
     or old.voided_at is not null and new.voided_at is distinct from old.voided_at then
    raise exception 'test money ends once' using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $function$;
COMMENT ON FUNCTION check_billing_mode() IS 'An installation whose balances are real money never takes test money again.';

CREATE OR REPLACE FUNCTION public.check_erp_instance_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.state = new.state
     or (old.state, new.state) in (
       ('starting', 'running'), ('starting', 'failed'), ('starting', 'stopping'),
       ('running', 'starting'), ('running', 'failed'), ('running', 'stopping'),
       ('stopping', 'ended'), ('failed', 'stopping'))
  then
    return new;
  end if;
  raise exception 'an ERP instance cannot go from % to %', old.state, new.state
    using errcode = 'integrity_constraint_violation', constraint = 'erp_instance_transition';
end $function$;
COMMENT ON FUNCTION check_erp_instance_transition() IS 'The order of an instance''s states: one that has ended never runs again.';

CREATE OR REPLACE FUNCTION public.check_hold()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    if new.status <> 'open' then
      raise exception 'a hold begins open' using errcode = 'integrity_constraint_violation';
    end if;
    return new;
  end if;
  if old.status <> 'open' or new.status = 'open'
     or (new.id, new.account_id, new.amount, new.idempotency_key,
         new.reference_type, new.reference_id, new.created_at)
        is distinct from
        (old.id, old.account_id, old.amount, old.idempotency_key,
         old.reference_type, old.reference_id, old.created_at)
  then
    raise exception 'a hold ends once, captured or released, and nothing else of it changes'
      using errcode = 'integrity_constraint_violation';
  end if;
  new.ended_at := clock_timestamp();
  return new;
end $function$;
COMMENT ON FUNCTION check_hold() IS 'A hold is inserted open and ends once, captured or released. Nothing else of it changes.';

CREATE OR REPLACE FUNCTION public.check_new_top_up()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform refuse_test_money(new.processor, new.created_at);
  return new;
end $function$;
COMMENT ON FUNCTION check_new_top_up() IS 'No top-up of the sandbox begins once the installation has left it.';

CREATE OR REPLACE FUNCTION public.check_passkey_counter()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.counter < old.counter or new.counter = old.counter and new.counter > 0 then
    raise exception 'the counter of a passkey rises'
      using errcode = 'integrity_constraint_violation', constraint = 'passkey_counter_rises';
  end if;
  return new;
end $function$;
COMMENT ON FUNCTION check_passkey_counter() IS 'The counter of a passkey rises with each use, or stays at 0.';

CREATE OR REPLACE FUNCTION public.check_pod_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.state = new.state
     or new.state = 'absent'
     or (new.state = 'destroying' and old.state <> 'absent')
     or (old.state in ('creating', 'running', 'paused', 'unknown')
         and new.state in ('running', 'paused', 'unknown', 'failed'))
  then
    return new;
  end if;
  raise exception 'a pod cannot go from % to %', old.state, new.state
    using errcode = 'integrity_constraint_violation', constraint = 'pod_transition';
end $function$;
COMMENT ON FUNCTION check_pod_transition() IS 'The order of a pod''s states: one that was given up is never used again.';

CREATE OR REPLACE FUNCTION public.check_role_belongs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  workspace uuid;
  belongs boolean;
begin
  if tg_table_name = 'membership' or (tg_table_name = 'invitation' and new.scope = 'workspace') then
    workspace := new.organization_id;
  else
    select p.organization_id into workspace from project p where p.id = new.project_id;
  end if;
  select r.organization_id is null or r.organization_id is not distinct from workspace into belongs
    from role r where r.id = new.role_id;
  if not coalesce(belongs, true) then
    raise exception 'role % belongs to another workspace', new.role_id
      using errcode = 'foreign_key_violation';
  end if;
  return new;
end $function$;
COMMENT ON FUNCTION check_role_belongs() IS 'A role that is assigned is a built-in one or belongs to the same workspace.';

CREATE OR REPLACE FUNCTION public.check_session_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.ended_at is not null and (new.ended_at is null or new.token_hash <> old.token_hash) then
    raise exception 'a session that has ended stays so'
      using errcode = 'integrity_constraint_violation', constraint = 'session_ended';
  end if;
  if new.token_hash = old.token_hash
     and (new.proven_at is distinct from old.proven_at or new.pending <> old.pending)
     or new.pending and (not old.pending or new.token_hash <> old.token_hash)
  then
    raise exception 'a session gets a new token with each proof, and none while it is pending'
      using errcode = 'integrity_constraint_violation', constraint = 'session_token';
  end if;
  return new;
end $function$;
COMMENT ON FUNCTION check_session_change() IS 'A session gets a new token with each proof, and none while it is pending; one that has ended stays so.';

CREATE OR REPLACE FUNCTION public.check_settled_total()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  wrong uuid;
begin
  select s.id into wrong from usage_settlement s
    cross join lateral (
      select count(*) as events, coalesce(sum(e.amount), 0) as total_nano
        from usage_event e where e.settlement_id = s.id) found
   where s.id in (select settlement_id from changed)
     and (s.events <> found.events or s.total_nano <> found.total_nano)
   limit 1;
  if wrong is not null then
    raise exception 'settlement % is not the sum of its events', wrong
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $function$;
COMMENT ON FUNCTION check_settled_total() IS 'A settlement is exactly the sum of its events: none can be left out, and none can be added later.';

CREATE OR REPLACE FUNCTION public.check_task_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status = new.status
     or (old.status, new.status) in (
       ('queued', 'planning'), ('queued', 'building'), ('queued', 'awaiting_approval'),
       ('queued', 'ready'),
       ('planning', 'awaiting_approval'), ('planning', 'awaiting_answer'), ('planning', 'ready'),
       ('planning', 'queued'),
       ('building', 'ready'), ('building', 'awaiting_answer'), ('building', 'queued'),
       ('building', 'awaiting_approval'),
       ('awaiting_answer', 'planning'), ('awaiting_answer', 'building'), ('awaiting_answer', 'queued'),
       ('awaiting_approval', 'queued'), ('awaiting_approval', 'planning'),
       ('awaiting_approval', 'building'),
       ('paused', 'queued'), ('paused', 'planning'), ('paused', 'building'),
       ('ready', 'awaiting_approval'), ('ready', 'queued'), ('ready', 'planning'), ('ready', 'building'),
       ('failed', 'queued'), ('cancelled', 'queued'))
     or (new.status in ('paused', 'failed') and old.status in
          ('queued', 'planning', 'building', 'awaiting_answer', 'awaiting_approval', 'paused'))
     or (new.status = 'cancelled' and old.status <> 'cancelled')
  then
    return new;
  end if;
  raise exception 'a task cannot go from % to %', old.status, new.status
    using errcode = 'integrity_constraint_violation', constraint = 'task_transition';
end $function$;
COMMENT ON FUNCTION check_task_transition() IS 'The order of a task''s states: what is paused, failed or cancelled goes on only by being queued or claimed again.';

CREATE OR REPLACE FUNCTION public.check_top_up_transition()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status = new.status
     or (old.status = 'created' and new.status in ('processing', 'failed'))
     or (old.status = 'processing' and new.status in ('succeeded', 'failed'))
     or (old.status = 'failed' and new.status = 'succeeded')
     or (old.status not in ('created', 'processing', 'failed')
         and new.status not in ('created', 'processing', 'failed'))
  then
    return new;
  end if;
  raise exception 'a top-up cannot go from % to %', old.status, new.status
    using errcode = 'integrity_constraint_violation';
end $function$;
COMMENT ON FUNCTION check_top_up_transition() IS 'The order of a top-up''s states. A failed one may still succeed, because a processor may report late; one that succeeded never fails.';

CREATE OR REPLACE FUNCTION public.check_usage_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  expected usage_event := old;
begin
  expected.settlement_id := new.settlement_id;
  if old.settlement_id is not null or new.settlement_id is null or new is distinct from expected
     or not new.charged then
    raise exception 'a usage event that is charged is settled once, and nothing else of it changes'
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $function$;
COMMENT ON FUNCTION check_usage_event() IS 'A usage event is settled once, if it is charged. Nothing else of it changes.';

CREATE OR REPLACE FUNCTION public.count_erp_instance_time()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  ran_until timestamptz := now();
begin
  if tg_op = 'UPDATE' and old.state = 'running' and new.state <> 'running' then
    if coalesce(old.lease_until < now(), true) then
      ran_until := coalesce(old.renewed_at, now());
    end if;
    new.uncounted_ms := new.uncounted_ms
      + greatest(0, extract(epoch from ran_until - old.counted_until) * 1000)::bigint;
    new.counted_until := null;
  elsif new.state = 'running' and (tg_op = 'INSERT' or old.state <> 'running') then
    new.counted_until := now();
  end if;
  if new.state <> 'running' then
    new.renewed_at := null;
  elsif tg_op = 'INSERT' or old.state <> 'running'
     or new.lease_until is distinct from old.lease_until then
    new.renewed_at := now();
  end if;
  return new;
end $function$;
COMMENT ON FUNCTION count_erp_instance_time() IS 'Adds up the time in which an ERP instance runs, until it is recorded as usage. It ends with its worker, so no further than that worker is known to have lived.';

CREATE OR REPLACE FUNCTION public.count_pod_time()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and old.state = 'running' and new.state <> 'running' then
    new.uncounted_ms := new.uncounted_ms + pod_time_since(old.counted_until);
    new.counted_until := null;
  elsif new.state = 'running' and (tg_op = 'INSERT' or old.state <> 'running') then
    new.counted_until := now();
  end if;
  return new;
end $function$;
COMMENT ON FUNCTION count_pod_time() IS 'Adds up the time in which a pod runs, by its changes of state, until it is recorded as usage.';

CREATE OR REPLACE FUNCTION public.count_stored_files()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into project_storage as s (project_id, files, bytes)
    select project_id, count(*), sum(size) from changed group by project_id order by project_id
    on conflict (project_id) do update
       set files = s.files + excluded.files, bytes = s.bytes + excluded.bytes;
  else
    update project_storage s set files = s.files - gone.files, bytes = s.bytes - gone.bytes
      from (select project_id, count(*) as files, sum(size) as bytes
              from changed group by project_id) gone
     where s.project_id = gone.project_id;
    insert into file_removal (storage_key) select storage_key from changed on conflict do nothing;
  end if;
  return null;
end $function$;
COMMENT ON FUNCTION count_stored_files() IS 'Keeps project_storage, and notes the bytes of deleted rows in file_removal.';

CREATE OR REPLACE FUNCTION public.deny(reason text)
 RETURNS text
 LANGUAGE plpgsql
 STRICT
AS $function$
begin
  raise exception '%', reason using errcode = 'GH403';
end $function$;
COMMENT ON FUNCTION deny(text) IS 'Called by a statement that writes when its caller lacks the right (a null reason is none): the error undoes whatever the statement wrote.';

CREATE OR REPLACE FUNCTION public.drop_service_mail()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  return null;
end $function$;
COMMENT ON FUNCTION drop_service_mail() IS 'Mail to a service account is not queued: it has no mailbox. Whoever tells the admins of a workspace need not know which of them are people.';

CREATE OR REPLACE FUNCTION public.end_card_shares()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_table_name = 'payment_method' then
    delete from card_share where payment_method_id = new.id;
  else
    delete from card_share s using membership m, role r
     where m.organization_id = s.organization_id and m.user_id = s.user_id and r.id = m.role_id
       and r.acts_as <> 'admin'
       and case tg_table_name
             when 'membership' then m.organization_id = (to_jsonb(new) ->> 'organization_id')::uuid
               and m.user_id = (to_jsonb(new) ->> 'user_id')::uuid
             else m.role_id = (to_jsonb(new) ->> 'id')::uuid end;
  end if;
  return null;
end $function$;
COMMENT ON FUNCTION end_card_shares() IS 'A card is shared until it is removed, or until its person is no owner or admin any more, whose memberships act as admin.';

CREATE OR REPLACE FUNCTION public.end_operator()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from operator where user_id = new.id;
  return null;
end $function$;
COMMENT ON FUNCTION end_operator() IS 'Whoever is deactivated is no operator any more, also when they are activated again.';

CREATE OR REPLACE FUNCTION public.end_overrides()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from project_grant g using project p
   where p.id = g.project_id and p.organization_id = old.organization_id and g.user_id = old.user_id;
  update invitation i set status = 'revoked', updated_at = clock_timestamp()
    from project p, app_user u
   where p.organization_id = old.organization_id and i.project_id = p.id and i.status = 'pending'
     and u.id = old.user_id and mailbox(i.email) = mailbox(u.email);
  return null;
end $function$;
COMMENT ON FUNCTION end_overrides() IS 'Roles that a member has on projects of a workspace end with the membership (ruling 3.5), and so do open invitations to them, so that a former member cannot return by an old invitation.';

CREATE OR REPLACE FUNCTION public.end_production_write()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update odoo_connection c
     set agent_access = case when c.production_write_allowed_at is null then c.agent_access
                             else 'read' end,
         production_write_allowed_at = null,
         agent_exceptions = '{}',
         updated_at = greatest(clock_timestamp(), c.updated_at + interval '1 microsecond')
   where c.project_id = new.id
     and (c.production_write_allowed_at is not null or c.agent_exceptions <> '{}');
  return null;
end $function$;
COMMENT ON FUNCTION end_production_write() IS 'That agents may write to a production database, and see what they see nowhere else, was said by an admin of the previous owner: the next one has to say so again.';

CREATE OR REPLACE FUNCTION public.end_service_account()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update api_key set revoked_at = clock_timestamp()
   where user_id = old.user_id and revoked_at is null;
  update app_user set is_active = false, updated_at = clock_timestamp()
   where id = old.user_id and is_active;
  return null;
end $function$;
COMMENT ON FUNCTION end_service_account() IS 'A service account ends with its membership, for good: its keys open nothing more. Its name stays for what it has done.';

CREATE OR REPLACE FUNCTION public.end_service_grants()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from project_grant g using app_user u
   where g.project_id = new.id and u.id = g.user_id and u.kind = 'service'
     and u.service_of is distinct from new.organization_id;
  return null;
end $function$;
COMMENT ON FUNCTION end_service_grants() IS 'A project that leaves a workspace leaves its service accounts behind: they work in their workspace alone.';

CREATE OR REPLACE FUNCTION public.end_spend_limits()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from spend_limit l
   where l.project_id = new.id
      or l.task_id in (select t.id from task t where t.project_id = new.id);
  return null;
end $function$;
COMMENT ON FUNCTION end_spend_limits() IS 'The limits on a project and its tasks are those of whoever pays for it: they end when it is given to another owner.';

CREATE OR REPLACE FUNCTION public.erase_traces(place text, first_block bigint, blocks bigint, person uuid, address text, person_name text)
 RETURNS TABLE(changed bigint, ended boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
end $function$;
COMMENT ON FUNCTION erase_traces(text,bigint,bigint,uuid,text,text) IS 'Makes a person who deleted their account a pseudonym in some blocks of a table. Returns how many rows that changed, and whether these blocks were the last ones.';

CREATE OR REPLACE FUNCTION public.erased_entry(entry jsonb, person uuid, address text, person_name text, is_about boolean, is_own boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  return case when is_own and jsonb_typeof(entry) = 'object'
              then entry - '{name,email,address,country,tax_id,network}'::text[]
              else without_person(entry::text, person, address, person_name, is_about)::jsonb end;
end $function$;
COMMENT ON FUNCTION erased_entry(jsonb,uuid,text,text,boolean,boolean) IS 'What is left of `before` or `after` of the audit trail when a person has deleted their account. Of their own account, outside of workspaces, also without what they called things and where they signed in.';

CREATE OR REPLACE FUNCTION public.follow_task()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into task_subscription as s (user_id, task_id, state)
  values (new.author_user_id, new.task_id, 'following')
  on conflict (user_id, task_id) do update set state = 'following', updated_at = now()
   where s.state = 'unfollowed';
  return null;
end $function$;
COMMENT ON FUNCTION follow_task() IS 'Who writes a message in a task follows it, unless they have muted it.';

CREATE OR REPLACE FUNCTION public.has_second_factor(person uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  select exists (select from passkey where user_id = person)
      or exists (select from totp where user_id = person and confirmed_at is not null);
$function$;
COMMENT ON FUNCTION has_second_factor(uuid) IS 'Whether a person has set up a second factor: what app_user.two_factor is after each change of one.';

CREATE OR REPLACE FUNCTION public.hash_plan_revision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.sha256 := sha256(convert_to(new.body, 'UTF8'));
  return new;
end $function$;
COMMENT ON FUNCTION hash_plan_revision() IS 'Computes the SHA-256 of a plan''s text.';

CREATE OR REPLACE FUNCTION public.hold_lets_go()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  update billing_account set held = held - new.amount where id = new.account_id;
  return null;
end $function$;
COMMENT ON FUNCTION hold_lets_go() IS 'Ends the reservation of a hold that was captured or released.';

CREATE OR REPLACE FUNCTION public.hold_reserves()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  free boolean := false;
  voids boolean := false;
begin
  select m.mode = 'off', not m.test_money and m.voided_at is null into free, voids
    from billing_mode m;
  free := coalesce(free, false) and new.reference_type = 'task';
  update billing_account set held = held + new.amount
   where id = new.account_id and kind <> 'system'
     and (free and status <> 'closed' or status = 'active' and balance - held >= new.amount)
     and voids is not true;
  if found then
    return null;
  end if;
  perform from billing_account where id = new.account_id and kind <> 'system' and status = 'active';
  if found then
    raise exception 'account % has less than % free', new.account_id, new.amount
      using errcode = 'GH001';
  end if;
  raise exception 'account % is not active', new.account_id using errcode = 'GH002';
end $function$;
COMMENT ON FUNCTION hold_reserves() IS 'Reserves the amount of a new hold on its account: GH001 when less is free, GH002 when the account is not active.';

CREATE OR REPLACE FUNCTION public.invoice_clock()
 RETURNS timestamp with time zone
 LANGUAGE sql
AS $function$
  select clock_timestamp()
$function$;
COMMENT ON FUNCTION invoice_clock() IS 'The time of issue of an invoice. A function, so that a test can choose the time.';

CREATE OR REPLACE FUNCTION public.is_branch_name(name text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (((octet_length(name) >= 1) AND (octet_length(name) <= 200)) AND (name !~ '[\x01-\x20\x7f~^:?*\[\\]|\.\.|//|@\{|(^|/)\.|\.lock(/|$)|[./]$|^[-/]|^@$'::text));
COMMENT ON FUNCTION is_branch_name(text) IS 'Whether a text can name a branch: the rules of git check-ref-format, within 200 bytes, and no leading hyphen.';

CREATE OR REPLACE FUNCTION public.is_chosen_branch(name text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (is_branch_name(name) AND (name !~ '^(HEAD$|refs/)'::text) AND is_name(name));
COMMENT ON FUNCTION is_chosen_branch(text) IS 'Whether people can choose a branch by this name: one that git takes and that can be told apart by eye.';

CREATE OR REPLACE FUNCTION public.is_name(name text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  given text collate "C" := name;
begin
  if octet_length(given) = length(given) then return given ~ '^[!-~]([ -~]*[!-~])?$'; end if;
  -- Control, format and private-use characters, noncharacters, blank symbols, and characters that
  -- are newer than Unicode 14 and are changed by case folding or normalization.
  if given ~ '[\u0001-\u001F\u007F-\u009F\u00AD\u034F\u061C\u0897\u115F\u1160\u17B4\u17B5'
            '\u180B-\u180F\u1ACF-\u1AEB\u1C89\u1C8A\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F'
            '\u2800\u3164\uA7CB-\uA7CF\uA7D2\uA7D4\uA7DA-\uA7F1\uE000-\uF8FF\uFDD0-\uFDEF'
            '\uFE00-\uFE0D\uFEFF\uFFA0\uFFF0-\uFFFC\uFFFE\uFFFF\U000105C9\U000105D2\U000105DA'
            '\U000105E4\U00010D50-\U00010D85\U00010EFA-\U00010EFF\U00011382-\U000113D0'
            '\U00011F41\U00011F42\U00013430-\U0001343F\U00013441\U00013442\U0001611E-\U0001612F'
            '\U00016D63-\U00016D6A\U00016EA0-\U00016ED3\U0001BCA0-\U0001BCA3'
            '\U0001CCD6-\U0001CCF9\U0001D159\U0001D173-\U0001D17A\U0001E030-\U0001E08F'
            '\U0001E4EC-\U0001E4EF\U0001E5EE\U0001E5EF\U0001E6E3-\U0001E6F5\U0001FFFE\U0001FFFF'
            '\U0002FFFE\U0002FFFF\U0003FFFE-\U000E001F\U000E0080-\U0010FFFF]' then
    return false;
  end if;
  -- A joiner or a variation selector at the start or after ASCII, except in a keycap.
  if given ~ '(^|[ -~])([\u200C\u200D\uFE0E\U000E0020-\U000E007F]|\uFE0F(?!\u20E3))' then
    return false;
  end if;
  -- A space at either end.
  if given ~ '^[ \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]'
    or given ~ '[ \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]$' then return false;
  end if;
  -- Something other than spaces, joiners and variation selectors.
  return given ~ '[^ \u00A0\u1680\u2000-\u200A\u202F\u205F\u3000\u200C\u200D\uFE0E\uFE0F'
                 '\U000E0020-\U000E007F]';
end $function$;
COMMENT ON FUNCTION is_name(text) IS 'Whether a text can be a name that people tell apart by eye (ruling 1.16).';

CREATE OR REPLACE FUNCTION public.keep_columns()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  name text;
begin
  foreach name in array tg_argv loop
    if to_jsonb(new) -> name is distinct from to_jsonb(old) -> name then
      raise exception '%.% never changes', tg_table_name, name
        using errcode = 'integrity_constraint_violation';
    end if;
  end loop;
  return new;
end $function$;
COMMENT ON FUNCTION keep_columns() IS 'Refuses a change of the columns that are named in the trigger.';

CREATE OR REPLACE FUNCTION public.lock_invitation(wanted uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  i invitation;
begin
  select * into i from invitation where id = wanted;
  if i.project_id is null then
    perform from organization where id = i.organization_id for update;
  else
    perform lock_project(i.project_id);
  end if;
  perform from invitation where id = wanted for update;
end $function$;
COMMENT ON FUNCTION lock_invitation(uuid) IS 'Locks what an invitation is to, and then the invitation, in the order of ruling 5.6.';

CREATE OR REPLACE FUNCTION public.lock_project(wanted uuid, target uuid DEFAULT NULL::uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  workspace uuid;
  is_in uuid;
begin
  for attempt in 1..100 loop
    begin
      select organization_id into workspace from project where id = wanted;
      perform from organization where id in (workspace, target) order by id for share;
      select organization_id into is_in from project where id = wanted for update;
      if not found or is_in is not distinct from workspace then
        return;
      end if;
      raise exception 'project % has just moved', wanted using errcode = 'serialization_failure';
    exception when serialization_failure then
      if attempt = 100 then raise; end if;
    end;
  end loop;
end $function$;
COMMENT ON FUNCTION lock_project(uuid,uuid) IS 'Locks the workspace of a project and another one, then the project (ruling 5.6), and begins again if the project moves meanwhile.';

CREATE OR REPLACE FUNCTION public.mailbox(address text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN lower((address COLLATE "C"));
COMMENT ON FUNCTION mailbox(text) IS 'What an address is compared by: two with the same mailbox belong to one person.';

CREATE OR REPLACE FUNCTION public.mark_usage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.charged := not exists (select from billing_mode where mode = 'off');
  return new;
end $function$;
COMMENT ON FUNCTION mark_usage() IS 'What is used while billing is off is counted and never charged, also once it is on again.';

CREATE OR REPLACE FUNCTION public.name_key(name text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  key text collate "C" := name;
begin
  if octet_length(key) = length(key) then
    key := lower(key);
  else
    key := normalize(regexp_replace(key, '[\u200C\u200D\uFE0E\uFE0F]', '', 'g'), nfkd);
    -- With this collation `lower` changes ASCII alone, which most Latin letters are decomposed to.
    key := lower(key);
    if key ~ '[^ -~\u0300-\u0344]' then
      key := replace(translate(key,
        U&'ÆÐØÞĐĦŁŊŒŦƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƢƤƦƧƩƬƮƱƲƳƵƷƸƼǤǶǷȜȠȢȤȺȻȽȾɁɃɄɅɆɈɊɌɎ\+000345ͰͲͶͿΑΒΓΔ'
          'ΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςϏϘϚϜϞϠϢϤϦϨϪϬϮϷϺϽϾϿЂЄЅІЈЉЊЋЏАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠ'
          'ѢѤѦѨѪѬѮѰѲѴѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӃӅӇӉӋӍӔӘӠӨӶӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬ'
          'ԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᏸ'
          'ᏹᏺᏻᏼᏽᲀᲁᲂᲃᲄᲅᲆᲇᲈᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿỺỼỾℲↃⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎ'
          'ⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾ'
          'ⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎ'
          'ꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟐꟖꟘꟵꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿ'
          'ꮀꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏'
          '𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄'
          '𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕\+010C80\+010C81\+010C82\+010C83\+010C84\+010C85\+010C86\+010C87'
          '\+010C88\+010C89\+010C8A\+010C8B\+010C8C\+010C8D\+010C8E\+010C8F\+010C90\+010C91'
          '\+010C92\+010C93\+010C94\+010C95\+010C96\+010C97\+010C98\+010C99\+010C9A\+010C9B'
          '\+010C9C\+010C9D\+010C9E\+010C9F\+010CA0\+010CA1\+010CA2\+010CA3\+010CA4\+010CA5'
          '\+010CA6\+010CA7\+010CA8\+010CA9\+010CAA\+010CAB\+010CAC\+010CAD\+010CAE\+010CAF'
          '\+010CB0\+010CB1\+010CB2𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗'
          '𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟\+01E900\+01E901\+01E902\+01E903\+01E904\+01E905\+01E906\+01E907\+01E908'
          '\+01E909\+01E90A\+01E90B\+01E90C\+01E90D\+01E90E\+01E90F\+01E910\+01E911\+01E912'
          '\+01E913\+01E914\+01E915\+01E916\+01E917\+01E918\+01E919\+01E91A\+01E91B\+01E91C'
          '\+01E91D\+01E91E\+01E91F\+01E920\+01E921ẞ',
        U&'æðøþđħłŋœŧɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵƣƥʀƨʃƭʈʊʋƴƶʒƹƽǥƕƿȝƞȣȥⱥȼƚⱦɂƀʉʌɇɉɋɍɏιͱͳͷϳαβγδεζηθικλ'
          'μνξοπρστυφχψωσϗϙϛϝϟϡϣϥϧϩϫϭϯϸϻͻͼͽђєѕіјљњћџабвгдежзиклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯ'
          'ѱѳѵѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӄӆӈӊӌӎӕәӡөӷӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզ'
          'էըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭᏰᏱᏲᏳᏴᏵвд'
          'осттъѣꙋაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿỻỽỿⅎↄⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅ'
          'ⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨⱪⱬɑɱɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍ'
          'ⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝ'
          'ꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊꟑꟗꟙꟶᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱᎲᎳᎴᎵᎶ'
          'ᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾'
          '𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳'
          '𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼\+010CC0\+010CC1\+010CC2\+010CC3\+010CC4\+010CC5\+010CC6\+010CC7\+010CC8'
          '\+010CC9\+010CCA\+010CCB\+010CCC\+010CCD\+010CCE\+010CCF\+010CD0\+010CD1\+010CD2'
          '\+010CD3\+010CD4\+010CD5\+010CD6\+010CD7\+010CD8\+010CD9\+010CDA\+010CDB\+010CDC'
          '\+010CDD\+010CDE\+010CDF\+010CE0\+010CE1\+010CE2\+010CE3\+010CE4\+010CE5\+010CE6'
          '\+010CE7\+010CE8\+010CE9\+010CEA\+010CEB\+010CEC\+010CED\+010CEE\+010CEF\+010CF0'
          '\+010CF1\+010CF2𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿'
          '\+01E922\+01E923\+01E924\+01E925\+01E926\+01E927\+01E928\+01E929\+01E92A\+01E92B'
          '\+01E92C\+01E92D\+01E92E\+01E92F\+01E930\+01E931\+01E932\+01E933\+01E934\+01E935'
          '\+01E936\+01E937\+01E938\+01E939\+01E93A\+01E93B\+01E93C\+01E93D\+01E93E\+01E93F'
          '\+01E940\+01E941\+01E942\+01E943ß'), 'ß', 'ss');
    end if;
    key := normalize(key, nfkc);
  end if;
  return regexp_replace(key, ' +', ' ', 'g');
end $function$;
COMMENT ON FUNCTION name_key(text) IS 'Equal for two names that people would take for the same: indexes use it, so its results never change.';

CREATE OR REPLACE FUNCTION public.note_change_of_task()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into task_change (object_id, project_id)
  select t.id, t.project_id from task t where t.id = new.task_id
  on conflict do nothing;
  return null;
end $function$;
COMMENT ON FUNCTION note_change_of_task() IS 'Notes a task of which something changed that its lists show and another table holds: its cost, its pull request, its plan.';

CREATE OR REPLACE FUNCTION public.note_check()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform note_task_event(s.task_id, 'check', json_strip_nulls(json_build_object(
            'check_id', new.id, 'name', new.name, 'head_sha', s.head_sha, 'state', new.state,
            'conclusion', new.conclusion)))
    from check_suite s where s.id = new.suite_id;
  return null;
end $function$;
COMMENT ON FUNCTION note_check() IS 'That a check has begun or ended, as an event of its task.';

CREATE OR REPLACE FUNCTION public.note_check_fix()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform note_task_event(s.task_id, 'fix_checks', json_build_object(
            'head_sha', s.head_sha, 'message_number', new.message_number))
    from check_suite s where s.id = new.suite_id;
  return null;
end $function$;
COMMENT ON FUNCTION note_check_fix() IS 'That the agent was asked to fix failed checks, as an event of its task.';

CREATE OR REPLACE FUNCTION public.note_checks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform note_task_event(new.task_id, 'checks', json_build_object(
    'head_sha', new.head_sha, 'state', coalesce(new.conclusion, 'pending')));
  return null;
end $function$;
COMMENT ON FUNCTION note_checks() IS 'How the checks of a commit are as a whole, as an event of its task.';

CREATE OR REPLACE FUNCTION public.note_deploy()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  task uuid;
begin
  -- Two statements: one condition for both would read every merge there is.
  if new.merge_id is not null then
    select m.task_id into task from merge m where m.id = new.merge_id;
  else
    -- A code host may deploy a merge several times: only the first deploy names it.
    select m.task_id into task
      from merge m join pull_request pr on pr.task_id = m.task_id
     where m.state = 'merged' and m.merge_commit_sha = new.commit_sha
       and pr.repository_id = new.repository_id
     limit 1;
  end if;
  if task is null then return null; end if;
  perform note_task_event(task, 'deploy', json_strip_nulls(json_build_object(
    'deploy_id', new.id, 'state', new.state, 'branch', new.branch, 'stage', new.stage,
    'commit_sha', new.commit_sha, 'reason', new.reason, 'url', new.url)));
  return null;
end $function$;
COMMENT ON FUNCTION note_deploy() IS 'That a commit of a task is deployed, and what came of it, as an event of the task.';

CREATE OR REPLACE FUNCTION public.note_invoice_due()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  insert into invoice_due (transfer_key, top_up_id)
  values (new.idempotency_key, new.reference_id);
  return null;
end $function$;
COMMENT ON FUNCTION note_invoice_due() IS 'Notes that a new posting needs an invoice, a credit note or a debit note.';

CREATE OR REPLACE FUNCTION public.note_mentions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform note_webhook_of_task('comment.mentioned', new.task_id, jsonb_build_object(
    'comment_id', new.id, 'author_user_id', new.author_user_id));
  return null;
end $function$;
COMMENT ON FUNCTION note_mentions() IS 'That a comment on a plan or on code may mention people: `@` and their address.';

CREATE OR REPLACE FUNCTION public.note_merge()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform note_task_event(new.task_id, 'merge', json_strip_nulls(json_build_object(
    'merge_id', new.id, 'state', new.state, 'branch', new.branch, 'stage', new.stage,
    'head_sha', new.expected_head_sha, 'forced', new.forced,
    'merge_commit_sha', new.merge_commit_sha,
    'requested_by_user_id', new.requested_by_user_id,
    'failure', case when new.failure_code is not null
                    then json_build_object('code', new.failure_code,
                                           'message', new.failure_message) end)));
  return null;
end $function$;
COMMENT ON FUNCTION note_merge() IS 'That a task is to be merged, and what came of it, as an event of the task.';

CREATE OR REPLACE FUNCTION public.note_odoo_instance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform note_task_event(new.task_id, 'odoo_instance', json_build_object(
    'odoo_instance_id', new.id, 'status', new.state));
  return null;
end $function$;
COMMENT ON FUNCTION note_odoo_instance() IS 'That the throwaway Odoo of a task is asked for, is ready, has failed or has ended, as an event of the task.';

CREATE OR REPLACE FUNCTION public.note_project_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into task_change (object_id, project_id) values (old.id, old.id) on conflict do nothing;
  return null;
end $function$;
COMMENT ON FUNCTION note_project_change() IS 'Notes that all tasks of a project have come into lists or left them, or show another model, for the streams of changes.';

CREATE OR REPLACE FUNCTION public.note_pull_request()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform note_task_event(new.task_id, 'pull_request', json_strip_nulls(json_build_object(
    'number', new.number, 'state', new.state, 'base', new.base, 'head_sha', new.head_sha,
    'mergeable', new.mergeable, 'url', new.url,
    'opened_by_user_id', new.opened_by_user_id)));
  return null;
end $function$;
COMMENT ON FUNCTION note_pull_request() IS 'How a pull request is now, as an event of its task.';

CREATE OR REPLACE FUNCTION public.note_revocation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into revocation (user_id) values ((to_jsonb(old) ->> tg_argv[0])::uuid);
  return null;
end $function$;
COMMENT ON FUNCTION note_revocation() IS 'Notes that rights of a person may have ended, so that their open event streams are checked soon. The argument is the column that has the person.';

CREATE OR REPLACE FUNCTION public.note_revocations_of_deleted_project()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Those with a role on the project alone are noted with that (note_revocation).
  insert into revocation (user_id)
  select owner_user_id from gone where owner_user_id is not null
   union
  select m.user_id from gone join membership m on m.organization_id = gone.organization_id;
  return null;
end $function$;
COMMENT ON FUNCTION note_revocations_of_deleted_project() IS 'Notes all who could open a project that was deleted, so that their streams learn of it, also those that continue later.';

CREATE OR REPLACE FUNCTION public.note_revocations_of_project()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into revocation (user_id)
  with moved as (
    select previous.id, previous.owner_user_id, previous.organization_id
      from previous join changed on changed.id = previous.id
     where (changed.owner_user_id, changed.organization_id)
           is distinct from (previous.owner_user_id, previous.organization_id))
  select owner_user_id from moved where owner_user_id is not null
   union
  select m.user_id from moved join membership m on m.organization_id = moved.organization_id
   union
  select g.user_id from moved join project_grant g on g.project_id = moved.id;
  return null;
end $function$;
COMMENT ON FUNCTION note_revocations_of_project() IS 'Notes all who could open a project before it changed hands, so that their open event streams are checked soon. Once for each person, however many projects a statement moves.';

CREATE OR REPLACE FUNCTION public.note_revocations_of_workspace()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into revocation (user_id)
  select m.user_id
    from membership m join app_user u on u.id = m.user_id
   where m.organization_id = new.id and not u.two_factor;
  return null;
end $function$;
COMMENT ON FUNCTION note_revocations_of_workspace() IS 'Notes every member without a second factor when their workspace begins or ceases to require one, so that their open event streams are checked soon.';

CREATE OR REPLACE FUNCTION public.note_task_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into task_change (object_id, project_id) values (new.id, new.project_id)
  on conflict do nothing;
  return null;
end $function$;
COMMENT ON FUNCTION note_task_change() IS 'Notes that a task was created, or changed as people see it, for the streams of changes.';

CREATE OR REPLACE FUNCTION public.note_task_deletion()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Those of a project that was deleted itself are noted once, by note_project_change.
  insert into task_change (object_id, project_id)
  select gone.id, gone.project_id from gone join project p on p.id = gone.project_id
  on conflict do nothing;
  return null;
end $function$;
COMMENT ON FUNCTION note_task_deletion() IS 'Notes which tasks were deleted, for the streams of changes.';

CREATE OR REPLACE FUNCTION public.note_task_event(task uuid, type text, payload json)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into task_event_outbox (task_id, noted_at, type, payload)
  select task,
         -- Whatever the clock does.
         greatest(clock_timestamp(), max(o.noted_at) + interval '1 microsecond'),
         note_task_event.type, note_task_event.payload
    from task_event_outbox o where o.task_id = task
$function$;
COMMENT ON FUNCTION note_task_event(uuid,text,json) IS 'Notes an event of a task for the worker that appends it to the log.';

CREATE OR REPLACE FUNCTION public.note_task_outcome()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.status in ('ready', 'failed') then
    insert into task_outcome (task_id, project_id, user_id, since)
    values (new.id, new.project_id, new.created_by_user_id, new.updated_at)
    on conflict (task_id) do update set since = excluded.since;
  else
    delete from task_outcome where task_id = new.id;
  end if;
  return null;
end $function$;
COMMENT ON FUNCTION note_task_outcome() IS 'A task that becomes ready or failed is in the inbox of whoever began it, until it goes on.';

CREATE OR REPLACE FUNCTION public.note_webhook_event(event_type text, workspace uuid, project uuid, task uuid, data jsonb)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into webhook_event (noted_at, type, organization_id, project_id, task_id, body)
  select noted.at, event_type, workspace, project, task,
         json_build_object(
           'type', event_type,
           'timestamp', to_char(noted.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
           'data', jsonb_strip_nulls(jsonb_build_object(
             'organization_id', workspace, 'project_id', project, 'task_id', task)) || data)
    from (
      -- Whatever the clock does.
      select greatest(clock_timestamp(), max(e.noted_at) + interval '1 microsecond') as at
        from webhook_event e where e.task_id = task) noted
   where exists (
     select from webhook_endpoint e
      where (e.organization_id = workspace or e.project_id = project)
        and e.enabled and event_type = any (e.event_types));
  insert into notification_event (noted_at, type, project_id, task_id, data)
  select clock_timestamp(), event_type, project, task, data
   where task is not null
     and event_type in (
       'task.plan_waiting', 'task.question_asked', 'task.permission_asked', 'task.ready',
       'task.failed', 'task.paused', 'task.checks_failed', 'task.merged', 'deploy.failed',
       'comment.mentioned')
$function$;
COMMENT ON FUNCTION note_webhook_event(text,uuid,uuid,uuid,jsonb) IS 'Notes what has happened, in the same transaction: for the webhooks of a workspace or a project, if one of them wants to hear of it, and for the people who are told of a task.';

CREATE OR REPLACE FUNCTION public.note_webhook_of_task(event_type text, task uuid, data jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  project uuid;
  workspace uuid;
begin
  select p.id, p.organization_id into project, workspace
    from task t join project p on p.id = t.project_id where t.id = task;
  perform note_webhook_event(event_type, workspace, project, task, data);
end $function$;
COMMENT ON FUNCTION note_webhook_of_task(text,uuid,jsonb) IS 'The same for what has happened to a task.';

CREATE OR REPLACE FUNCTION public.number_invoice()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
end $function$;
COMMENT ON FUNCTION number_invoice() IS 'Gives a new invoice the next number of its series.';

CREATE OR REPLACE FUNCTION public.open_billing_account()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_table_name = 'app_user' then
    insert into billing_account (kind, user_id) values ('user', new.id);
  else
    insert into billing_account (kind, organization_id) values ('workspace', new.id);
  end if;
  return null;
end $function$;
COMMENT ON FUNCTION open_billing_account() IS 'Opens the billing account of a new user or workspace.';

CREATE OR REPLACE FUNCTION public.open_billing_details()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into billing_details (id) values (new.id);
  return null;
end $function$;
COMMENT ON FUNCTION open_billing_details() IS 'Makes the billing details of a new account.';

CREATE OR REPLACE FUNCTION public.pause_new_turn()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.paused := coalesce((select status = 'paused' from task where id = new.task_id), false);
  return new;
end $function$;
COMMENT ON FUNCTION pause_new_turn() IS 'A turn that is queued while its task is paused waits with it.';

CREATE OR REPLACE FUNCTION public.pause_turns()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update task_turn set paused = new.status = 'paused'
   where task_id = new.id and state in ('queued', 'interrupted');
  return null;
end $function$;
COMMENT ON FUNCTION pause_turns() IS 'The turns of a task that pauses wait with it, and those of one that goes on can be claimed.';

CREATE OR REPLACE FUNCTION public.place_plan()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select project_id into new.project_id from task where id = new.task_id;
  select created_at into new.revised_at from plan_revision
   where task_id = new.task_id and version = new.version;
  return new;
end $function$;
COMMENT ON FUNCTION place_plan() IS 'A plan repeats the project of its task and the time of its current revision, so that the open plans of a project are found without either.';

CREATE OR REPLACE FUNCTION public.place_spend_limit_warning()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select l.account_id, l.subject_id into new.account_id, new.subject_id
    from spend_limit l where l.id = new.limit_id;
  return new;
end $function$;
COMMENT ON FUNCTION place_spend_limit_warning() IS 'Copies to a warning what its limit is on, which it outlives.';

CREATE OR REPLACE FUNCTION public.pod_time_since(seen_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select (extract(epoch from least(greatest(now() - seen_at, '0'), '30 seconds')) * 1000)::bigint
$function$;
COMMENT ON FUNCTION pod_time_since(timestamp with time zone) IS 'The milliseconds in which a pod ran since it was last seen to run: 30 seconds at most, because workers look every ten, and no one pays for the time in which none was there.';

CREATE OR REPLACE FUNCTION public.post_to_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  change bigint := case when new.account_id = new.credit_account_id
                        then new.amount else -new.amount end;
begin
  if new.kind = 'top_up' then
    perform refuse_test_money(t.processor, t.created_at) from top_up t where t.id = new.reference_id;
  end if;
  update billing_account
     set balance = balance + change, version = version + 1,
         status = case when balance + change < 0 then 'frozen'
                       when balance < 0 and status = 'frozen' then 'active' else status end
   where id = new.account_id and kind <> 'system' and status <> 'closed'
  returning version, balance into new.version, new.balance;
  if not found then
    raise exception 'account % is closed or no customer account', new.account_id
      using errcode = 'integrity_constraint_violation';
  end if;
  new.previous_balance := new.balance - change;
  return new;
end $function$;
COMMENT ON FUNCTION post_to_account() IS 'Moves the balance of the customer''s account of a new transfer, and freezes an account in debt.';

CREATE OR REPLACE FUNCTION public.queue_security_notice()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into mail (kind, recipient, subject_id)
  select 'security_notice', u.email, new.id
    from app_user u
   where u.id = case when new.action in ('user.reset_two_factor', 'sign_in_link.create')
                     then new.target_id::uuid else new.actor_user_id end
     and u.is_active
     and u.created_at < now();
  return null;
end $function$;
COMMENT ON FUNCTION queue_security_notice() IS 'Queues a mail to the person whose sign-in was changed, in the same transaction; but not about what they set while they sign up.';

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is insert-only', tg_table_name using errcode = 'integrity_constraint_violation';
end $function$;
COMMENT ON FUNCTION refuse_change() IS 'Refuses any change of a table whose rows are history.';

CREATE OR REPLACE FUNCTION public.refuse_change_of_plan()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' and not exists (select from task where id = old.task_id) then
    return old;
  end if;
  if tg_op = 'UPDATE' and to_jsonb(new) ->> 'body' = ''
     and to_jsonb(new) - 'body' = to_jsonb(old) - 'body'
     and exists (select from task where id = old.task_id and conversation_removed_at >= archived_at)
  then
    return new;
  end if;
  raise exception '% is insert-only, and goes with its task', tg_table_name
    using errcode = 'integrity_constraint_violation';
end $function$;
COMMENT ON FUNCTION refuse_change_of_plan() IS 'Refuses any change of a plan''s revisions and approvals. They are deleted with their task; the text of a revision is removed with the conversation of an archived task, its hash stays.';

CREATE OR REPLACE FUNCTION public.refuse_change_of_trail()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  -- What `erase_traces` erases now; nobody else may update.
  erased jsonb := nullif(current_setting('guildhall.erased', true), '');
  is_about boolean;
  is_own boolean;
begin
  if tg_op = 'UPDATE' and erased is not null
     and to_jsonb(new) - '{before,after}'::text[] = to_jsonb(old) - '{before,after}'::text[] then
    is_about := coalesce(erased ->> 'person' in (old.target_id, old.actor_user_id::text), false);
    is_own := is_about and old.organization_id is null;
    if new.before is not distinct from erased_entry(
         old.before, (erased ->> 'person')::uuid, erased ->> 'address', erased ->> 'name',
         is_about, is_own)
       and new.after is not distinct from erased_entry(
         old.after, (erased ->> 'person')::uuid, erased ->> 'address', erased ->> 'name',
         is_about, is_own)
    then
      return new;
    end if;
  end if;
  raise exception '% is insert-only', tg_table_name using errcode = 'integrity_constraint_violation';
end $function$;
COMMENT ON FUNCTION refuse_change_of_trail() IS 'Refuses any change of the audit trail, but that the name and the address of a person who deleted their account become a pseudonym.';

CREATE OR REPLACE FUNCTION public.refuse_deleted_person()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  person uuid := (to_jsonb(new) ->> tg_argv[0])::uuid;
  deleted boolean;
begin
  -- Waits for a deletion that is under way.
  select deleted_at is not null into deleted from app_user where id = person for share;
  if deleted then
    raise exception 'person % has deleted their account', person
      using errcode = 'integrity_constraint_violation', constraint = 'person_deleted';
  end if;
  return new;
end $function$;
COMMENT ON FUNCTION refuse_deleted_person() IS 'Nothing becomes that of a person who has deleted their account, also when both happen at once. The argument is the column that has the person.';

CREATE OR REPLACE FUNCTION public.refuse_removed_plan()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from plan_revision r
              where r.task_id = new.task_id and r.version = new.version and r.body = '') then
    raise exception 'the text of this plan was removed'
      using errcode = 'integrity_constraint_violation', constraint = 'plan_removed';
  end if;
  return new;
end $function$;
COMMENT ON FUNCTION refuse_removed_plan() IS 'Nobody approves a plan whose text was removed because its task had been archived for long.';

CREATE OR REPLACE FUNCTION public.refuse_test_money(processor text, begun_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if processor = 'sandbox' then
    perform from billing_mode for share;
  end if;
  perform from billing_mode m
   where (processor = 'sandbox' and m.mode <> 'sandbox') or begun_at < m.real_since;
  if found then
    raise exception 'test money is not taken any more' using errcode = 'GH003';
  end if;
end $function$;
COMMENT ON FUNCTION refuse_test_money(text,timestamp with time zone) IS 'Raises GH003 for a top-up that test cards pay, once the installation has left the sandbox.';

CREATE OR REPLACE FUNCTION public.remove_conversations(archived_before timestamp with time zone, most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  -- Counted, so that the turns of these tasks are looked at, not those of all.
  due uuid[] := array(
    select t.id from task t
     where t.archived_at < archived_before
       and (t.conversation_removed_at is null or t.conversation_removed_at < t.archived_at)
       and (select count(*) from task_turn u where u.task_id = t.id and u.ended_at is null) = 0
     order by t.archived_at limit most
       for update of t skip locked);
begin
  update task set conversation_removed_at = clock_timestamp() where id = any (due);
  delete from diff_comment where task_id = any (due);
  delete from plan_comment where task_id = any (due);
  delete from agent_request where task_id = any (due);
  -- A row stays, so that what is read on GitHub again is not sent to the agent once more.
  update github_review set text = '', comments = '[]' where task_id = any (due);
  delete from task_message where task_id = any (due);
  update task_turn set prompt = '', error = null where task_id = any (due);
  -- Who approved which text stays, and the hash that proves it.
  update plan_revision set body = '' where task_id = any (due) and body <> '';
  return cardinality(due);
end $function$;
COMMENT ON FUNCTION remove_conversations(timestamp with time zone,integer) IS 'Removes what was said in tasks that were archived before a time: messages, texts of plans, comments, questions. Oldest first, at most so many tasks. Returns how many.';

CREATE OR REPLACE FUNCTION public.start_build(task uuid, number integer, seen integer DEFAULT NULL::integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  approved integer;
begin
  with done as (
    update outbox set done_at = now()
     where topic = 'agent_start' and done_at is null and (payload->>'task_id')::uuid = task
       and (seen is null or (payload->>'version')::integer <= seen)
    returning (payload->>'version')::integer as version)
  select max(version) into approved from done;
  if approved is null then
    return 0;
  end if;
  -- A build for which nothing was ever held has not begun: the newer version takes its place.
  update task_turn u set state = 'cancelled', ended_at = clock_timestamp()
   where u.task_id = task and u.kind = 'build' and u.plan_version < approved
     and u.state in ('queued', 'interrupted') and u.account_id is null;
  insert into task_turn (task_id, number, kind, source, prompt, plan_version, requested_by_user_id)
  select task, number, 'build', 'plan:' || task || ':' || approved, '', approved,
         -- Whoever a policy has approved for did not ask for the build.
         (select a.approved_by_user_id
            from plan_approval a left join plan p on p.task_id = a.task_id
           where a.task_id = task and a.version = approved
             and p.policy_version is distinct from a.version);
  return 1;
end $function$;
COMMENT ON FUNCTION start_build(uuid,integer,integer) IS 'Takes the approved versions of a task that wait to be started, and queues one build, of the newest, with this number. Returns how many builds it queued. Lock the task before. Approvals that the calling statement has not seen can be left out: none after the version `seen`.';

CREATE OR REPLACE FUNCTION public.tax_within(total bigint, rate numeric)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select (round(total * rate / (100 + rate) / 10000) * 10000)::bigint
$function$;
COMMENT ON FUNCTION tax_within(bigint,numeric) IS 'The tax that an amount of micro-USD contains, in whole cents; the rate is in percent.';

CREATE OR REPLACE FUNCTION public.touch_task()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.updated_at := greatest(clock_timestamp(), old.updated_at + interval '1 microsecond');
  return new;
end $function$;
COMMENT ON FUNCTION touch_task() IS 'Sets when a task changed last, always later than before. Its turns, fence and counters do not count.';

CREATE OR REPLACE FUNCTION public.uuid_v7()
 RETURNS uuid
 LANGUAGE sql
 PARALLEL SAFE
AS $function$select uuidv7()$function$;
COMMENT ON FUNCTION uuid_v7() IS 'An id that begins with the time, for tables that grow without end: new rows meet at the end of the index, not all over it.';

CREATE OR REPLACE FUNCTION public.webhook_on_audit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Before anything is made of the row: every audited operation comes by here.
  if not exists (
    select from webhook_endpoint e
     where e.kind = 'audit' and e.enabled
       and (e.organization_id = new.organization_id or e.project_id = new.project_id))
  then return null; end if;
  perform note_webhook_event(
    'audit.recorded', new.organization_id, new.project_id, null,
    jsonb_strip_nulls(jsonb_build_object(
      'id', new.id, 'action', new.action, 'outcome', new.outcome, 'code', new.code,
      'actor_user_id', new.actor_user_id, 'key_id', new.key_id, 'target_id', new.target_id,
      'request_id', new.request_id))
    -- What is too long to send must not keep anything from being written.
    || case when octet_length(concat(new.before, new.after)) <= 65536
            then jsonb_build_object('before', new.before, 'after', new.after)
            else '{}' end);
  return null;
end $function$;
COMMENT ON FUNCTION webhook_on_audit() IS 'A row of the audit trail as it is written, for webhooks of the kind audit.';

CREATE OR REPLACE FUNCTION public.webhook_on_balance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  workspace uuid;
begin
  select a.organization_id into workspace
    from billing_account a where a.id = (new.payload ->> 'account_id')::uuid;
  if workspace is null then return null; end if;
  perform note_webhook_event(
    'balance.low', workspace, null, null,
    jsonb_build_object('threshold',
      to_char((new.payload ->> 'threshold')::numeric / 1000000, 'FM999999999990.00')));
  return null;
end $function$;
COMMENT ON FUNCTION webhook_on_balance() IS 'That the balance of a workspace has fallen below its threshold, for webhooks.';

CREATE OR REPLACE FUNCTION public.webhook_on_checks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform note_webhook_of_task('task.checks_failed', new.task_id,
                               jsonb_build_object('head_sha', new.head_sha));
  return null;
end $function$;
COMMENT ON FUNCTION webhook_on_checks() IS 'That checks of a commit have failed, for webhooks.';

CREATE OR REPLACE FUNCTION public.webhook_on_deploy()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  task uuid;
  workspace uuid;
begin
  select m.task_id into task from merge m where m.id = new.merge_id;
  select p.organization_id into workspace from project p where p.id = new.project_id;
  perform note_webhook_event(
    case new.state when 'failed' then 'deploy.failed' else 'deploy.succeeded' end,
    workspace, new.project_id, task,
    jsonb_build_object('deploy_id', new.id, 'state', new.state, 'branch', new.branch,
                       'stage', new.stage, 'commit_sha', new.commit_sha));
  return null;
end $function$;
COMMENT ON FUNCTION webhook_on_deploy() IS 'What came of a deploy, for webhooks.';

CREATE OR REPLACE FUNCTION public.webhook_on_invitation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform note_webhook_event(
    'invitation.created',
    coalesce(new.organization_id,
             (select p.organization_id from project p where p.id = new.project_id)),
    new.project_id, null, jsonb_build_object('invitation_id', new.id));
  return null;
end $function$;
COMMENT ON FUNCTION webhook_on_invitation() IS 'That a person was invited to a workspace or a project, for webhooks; without the address.';

CREATE OR REPLACE FUNCTION public.webhook_on_member()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  row membership := case tg_op when 'INSERT' then new else old end;
begin
  perform note_webhook_event(
    case tg_op when 'INSERT' then 'member.added' else 'member.removed' end,
    row.organization_id, null, null, jsonb_build_object('user_id', row.user_id));
  return null;
end $function$;
COMMENT ON FUNCTION webhook_on_member() IS 'That a person has joined or left a workspace, for webhooks.';

CREATE OR REPLACE FUNCTION public.webhook_on_merge()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform note_webhook_of_task('task.merged', new.task_id, jsonb_build_object(
    'merge_id', new.id, 'branch', new.branch, 'stage', new.stage,
    'merge_commit_sha', new.merge_commit_sha));
  return null;
end $function$;
COMMENT ON FUNCTION webhook_on_merge() IS 'That a task was merged, for webhooks.';

CREATE OR REPLACE FUNCTION public.webhook_on_request()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform note_webhook_of_task(
    case new.kind when 'question' then 'task.question_asked' else 'task.permission_asked' end,
    new.task_id, jsonb_build_object('request_id', new.id));
  return null;
end $function$;
COMMENT ON FUNCTION webhook_on_request() IS 'That an agent has asked a question or for a permission, for webhooks.';

CREATE OR REPLACE FUNCTION public.webhook_on_task()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    perform note_webhook_of_task('task.created', new.id, jsonb_build_object(
      'status', new.status, 'created_by_user_id', new.created_by_user_id));
  else
    perform note_webhook_of_task(
      case new.status when 'awaiting_approval' then 'task.plan_waiting'
                      else 'task.' || new.status end,
      new.id,
      jsonb_strip_nulls(jsonb_build_object(
        'status', new.status, 'previous_status', old.status,
        -- Why one has failed may quote its agent.
        'reason', case when new.status = 'paused' then new.status_reason end)));
  end if;
  return null;
end $function$;
COMMENT ON FUNCTION webhook_on_task() IS 'What webhooks hear of a task: that it was created, and what it waits for or has become.';

CREATE OR REPLACE FUNCTION public.webhook_on_top_up()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  workspace uuid;
begin
  select a.organization_id into workspace from billing_account a where a.id = new.account_id;
  if workspace is null then return null; end if;
  perform note_webhook_event(
    'top_up.' || new.status, workspace, null, null,
    jsonb_build_object('top_up_id', new.id, 'automatic', new.automatic));
  return null;
end $function$;
COMMENT ON FUNCTION webhook_on_top_up() IS 'That the balance of a workspace was topped up, or could not be, for webhooks.';

CREATE OR REPLACE FUNCTION public.when_to_tell(at timestamp with time zone, daily_at time without time zone, quiet_from time without time zone, quiet_until time without time zone, zone text)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
COMMENT ON FUNCTION when_to_tell(timestamp with time zone,time without time zone,time without time zone,time without time zone,text) IS 'When a person is told of what happens at a time: at once, after their quiet hours, or, with `daily_at`, at that time of the day.';

CREATE OR REPLACE FUNCTION public.why_tasks_wait()
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select case
    when exists (select from task_worker
                  where fault is null and seen_at > now() - interval '30 seconds') then null
    else coalesce((select fault from task_worker
                    where seen_at > now() - interval '30 seconds' order by fault limit 1),
                  'no_worker') end
$function$;
COMMENT ON FUNCTION why_tasks_wait() IS 'Why no process carries out tasks now; null while one does.';

CREATE OR REPLACE FUNCTION public.without_person(content text, person uuid, address text, person_name text, is_about boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT CASE WHEN ((without_person.person_name IS NOT NULL) AND (without_person.is_about OR (POSITION(((without_person.person)::text) IN (erased.content)) > 0))) THEN regexp_replace(erased.content, ('("[a-z_]*name"\s*:\s*)'::text || regexp_replace((to_json(without_person.person_name))::text, '([][\\.+*?(){}|^$-])'::text, '\\\1'::text, 'g'::text)), '\1"Former member"'::text, 'g'::text) ELSE erased.content END AS content FROM (SELECT regexp_replace(without_person.content, (('(?:(?<![a-z0-9._%+-])|(?<=\\[bfnrt]))'::text || regexp_replace(without_person.address, '([][\\.+*?(){}|^$-])'::text, '\\\1'::text, 'g'::text)) || '(?![a-z0-9-]|\.[a-z0-9])'::text), ((without_person.person)::text || '@former.invalid'::text), 'gi'::text) AS content) erased);
COMMENT ON FUNCTION without_person(text,uuid,text,text,boolean) IS 'A text without the address of a person, and, if it is about them or holds their id, JSON without their name.';

CREATE TABLE agent_request (
  id uuid DEFAULT uuid_v7() NOT NULL,
  task_id uuid NOT NULL,
  turn_id uuid NOT NULL,
  kind text NOT NULL,
  title text NOT NULL,
  options jsonb DEFAULT '[]'::jsonb NOT NULL,
  state text DEFAULT 'open'::text NOT NULL,
  answer_option_id text,
  answer_text text,
  answered_by_user_id uuid,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  ended_at timestamp with time zone,
  attempt integer DEFAULT 1 NOT NULL,
  asked_at timestamp with time zone DEFAULT now() NOT NULL,
  delivered_at timestamp with time zone,
  CONSTRAINT agent_request_pkey PRIMARY KEY (id),
  CONSTRAINT agent_request_answer_is_complete CHECK (
CASE state
    WHEN 'answered'::text THEN ((num_nonnulls(answer_option_id, answer_text) = 1) AND (answered_by_user_id IS NOT NULL) AND (ended_at IS NOT NULL))
    WHEN 'withdrawn'::text THEN ((num_nonnulls(answer_option_id, answer_text, answered_by_user_id) = 0) AND (ended_at IS NOT NULL))
    ELSE (num_nonnulls(answer_option_id, answer_text, answered_by_user_id, ended_at) = 0)
END),
  CONSTRAINT agent_request_answer_option_id_check CHECK (((length(answer_option_id) >= 1) AND (length(answer_option_id) <= 200))),
  CONSTRAINT agent_request_answer_text_check CHECK (((length(answer_text) >= 1) AND (length(answer_text) <= 20000))),
  CONSTRAINT agent_request_attempt_check CHECK ((attempt > 0)),
  CONSTRAINT agent_request_kind_check CHECK ((kind = ANY (ARRAY['question'::text, 'permission'::text]))),
  CONSTRAINT agent_request_options_check CHECK ((jsonb_typeof(options) = 'array'::text)),
  CONSTRAINT agent_request_state_check CHECK ((state = ANY (ARRAY['open'::text, 'answered'::text, 'withdrawn'::text]))),
  CONSTRAINT agent_request_title_check CHECK (((length(title) >= 1) AND (length(title) <= 2000))),
  CONSTRAINT agent_request_answered_by_user_id_fkey FOREIGN KEY (answered_by_user_id) REFERENCES app_user(id),
  CONSTRAINT agent_request_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE,
  CONSTRAINT agent_request_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES task_turn(id) ON DELETE CASCADE
);
CREATE INDEX agent_request_answered_by ON public.agent_request USING btree (answered_by_user_id);
CREATE INDEX agent_request_of_task ON public.agent_request USING btree (task_id, created_at, id);
CREATE INDEX agent_request_open ON public.agent_request USING btree (task_id) WHERE (state = 'open'::text);
CREATE INDEX agent_request_turn ON public.agent_request USING btree (turn_id);
CREATE TRIGGER request_made_for_webhooks AFTER INSERT ON public.agent_request FOR EACH ROW EXECUTE FUNCTION webhook_on_request();
COMMENT ON TABLE agent_request IS 'A question or a permission that an agent waits for.';
COMMENT ON COLUMN agent_request.options IS 'Objects with id and name; empty when any text answers it.';
COMMENT ON COLUMN agent_request.attempt IS 'The attempt of the turn that asked last: another one that asks the same takes it over.';
COMMENT ON COLUMN agent_request.asked_at IS 'When that attempt asked.';
COMMENT ON COLUMN agent_request.delivered_at IS 'When an agent had the answer: from then on it answers no other question.';

CREATE TABLE api_key (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  user_id uuid NOT NULL,
  name text NOT NULL,
  secret_hash bytea NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  read_only boolean DEFAULT false NOT NULL,
  organization_id uuid,
  user_kind text DEFAULT 'person'::text NOT NULL,
  service_of uuid,
  oauth_client_id uuid,
  CONSTRAINT api_key_pkey PRIMARY KEY (id),
  CONSTRAINT api_key_of_application UNIQUE (id, oauth_client_id),
  CONSTRAINT api_key_secret_hash_key UNIQUE (secret_hash),
  CONSTRAINT api_key_kind_has_workspace CHECK (((user_kind = 'service'::text) = (service_of IS NOT NULL))),
  CONSTRAINT api_key_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  CONSTRAINT api_key_name_is_name CHECK (is_name(name)),
  CONSTRAINT api_key_of_application_expires CHECK (((oauth_client_id IS NULL) OR ((user_kind = 'person'::text) AND (expires_at IS NOT NULL)))),
  CONSTRAINT api_key_of_own_workspace CHECK (((service_of IS NULL) OR ((organization_id IS NOT NULL) AND (service_of = organization_id)))),
  CONSTRAINT api_key_secret_hash_check CHECK ((octet_length(secret_hash) = 32)),
  CONSTRAINT api_key_oauth_client_id_fkey FOREIGN KEY (oauth_client_id) REFERENCES oauth_client(id),
  CONSTRAINT api_key_of_kind FOREIGN KEY (user_id, user_kind) REFERENCES app_user(id, kind),
  CONSTRAINT api_key_of_service FOREIGN KEY (user_id, service_of) REFERENCES app_user(id, service_of),
  CONSTRAINT api_key_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX api_key_of_oauth_client ON public.api_key USING btree (oauth_client_id);
CREATE INDEX api_key_user ON public.api_key USING btree (user_id);
CREATE TRIGGER api_key_keeps_secret BEFORE UPDATE OF secret_hash ON public.api_key FOR EACH ROW WHEN ((old.oauth_client_id IS NULL)) EXECUTE FUNCTION keep_columns('secret_hash');
CREATE TRIGGER api_key_notes_revocation AFTER UPDATE OF revoked_at ON public.api_key FOR EACH ROW WHEN (((old.revoked_at IS NULL) AND (new.revoked_at IS NOT NULL))) EXECUTE FUNCTION note_revocation('user_id');
CREATE TRIGGER api_key_stays BEFORE UPDATE OF id, user_id, created_at, oauth_client_id ON public.api_key FOR EACH ROW EXECUTE FUNCTION keep_columns('id', 'user_id', 'created_at', 'oauth_client_id');
CREATE TRIGGER api_key_stays_revoked BEFORE UPDATE OF revoked_at ON public.api_key FOR EACH ROW WHEN ((old.revoked_at IS NOT NULL)) EXECUTE FUNCTION keep_columns('revoked_at');
COMMENT ON TABLE api_key IS 'An API key of a person or a service account. Revoked, never deleted.';
COMMENT ON COLUMN api_key.secret_hash IS 'The SHA-256 of the key, so that a stolen table opens nothing.';
COMMENT ON COLUMN api_key.last_used_at IS 'Written in batches, so a little late.';
COMMENT ON COLUMN api_key.read_only IS 'The key may only read.';
COMMENT ON COLUMN api_key.organization_id IS 'The key opens this workspace alone.';
COMMENT ON COLUMN api_key.user_kind IS 'That of the user.';
COMMENT ON COLUMN api_key.service_of IS 'The workspace, if the user is a service account of it.';
COMMENT ON COLUMN api_key.oauth_client_id IS 'The connected application that has this key. Its secret is an access token: it opens /mcp alone, and is replaced when it is renewed.';

CREATE TABLE app_user (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  email text NOT NULL,
  name text,
  is_active boolean DEFAULT true NOT NULL,
  two_factor boolean DEFAULT false NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  mail_warnings boolean DEFAULT true NOT NULL,
  kind text DEFAULT 'person'::text NOT NULL,
  service_of uuid,
  deleted_at timestamp with time zone,
  CONSTRAINT app_user_pkey PRIMARY KEY (id),
  CONSTRAINT app_user_of_kind UNIQUE (id, kind),
  CONSTRAINT app_user_of_workspace UNIQUE (id, service_of),
  CONSTRAINT app_user_deleted_is_nobody CHECK (((deleted_at IS NULL) OR ((NOT is_active) AND (NOT two_factor) AND (name = 'Former member'::text) AND (email = ((id)::text || '@former.invalid'::text))))),
  CONSTRAINT app_user_email_check CHECK (((email = btrim(email)) AND (POSITION(('@'::text) IN (email)) > 1) AND (length(email) <= 320))),
  CONSTRAINT app_user_kind_check CHECK ((kind = ANY (ARRAY['person'::text, 'service'::text]))),
  CONSTRAINT app_user_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CONSTRAINT app_user_service_address CHECK (((kind = 'person'::text) OR ((name IS NOT NULL) AND (email = ((id)::text || '@service.invalid'::text))))),
  CONSTRAINT app_user_service_of CHECK (((kind = 'service'::text) = (service_of IS NOT NULL)))
);
CREATE INDEX app_user_email_search ON public.app_user USING gin (lower(email) gin_trgm_ops);
CREATE UNIQUE INDEX app_user_mailbox ON public.app_user USING btree (mailbox(email));
CREATE INDEX app_user_name_search ON public.app_user USING gin (lower(name) gin_trgm_ops);
CREATE INDEX app_user_of_service ON public.app_user USING btree (service_of) WHERE (service_of IS NOT NULL);
CREATE TRIGGER app_user_checks_auto_reload AFTER UPDATE OF is_active, two_factor ON public.app_user FOR EACH ROW WHEN (((old.is_active AND (NOT new.is_active)) OR (old.two_factor AND (NOT new.two_factor)))) EXECUTE FUNCTION check_auto_reload();
CREATE TRIGGER app_user_ends_operator AFTER UPDATE OF is_active ON public.app_user FOR EACH ROW WHEN ((old.is_active AND (NOT new.is_active))) EXECUTE FUNCTION end_operator();
CREATE TRIGGER app_user_notes_revocation AFTER UPDATE OF is_active, two_factor ON public.app_user FOR EACH ROW WHEN (((old.is_active AND (NOT new.is_active)) OR (old.two_factor <> new.two_factor))) EXECUTE FUNCTION note_revocation('id');
CREATE TRIGGER app_user_opens_account AFTER INSERT ON public.app_user FOR EACH ROW EXECUTE FUNCTION open_billing_account();
CREATE TRIGGER app_user_stays_deleted BEFORE UPDATE OF deleted_at ON public.app_user FOR EACH ROW WHEN ((old.deleted_at IS NOT NULL)) EXECUTE FUNCTION keep_columns('deleted_at');
CREATE TRIGGER app_user_stays_of_kind BEFORE UPDATE OF kind, service_of ON public.app_user FOR EACH ROW EXECUTE FUNCTION keep_columns('kind', 'service_of');
COMMENT ON TABLE app_user IS 'A person with an email address, or a service account. Deactivated, or deleted but for the id.';
COMMENT ON COLUMN app_user.two_factor IS 'Whether the person has set up a second factor. True for service accounts, whose keys only people make who meet what the workspace demands.';
COMMENT ON COLUMN app_user.mail_warnings IS 'Whether warnings about balances are sent to them by mail, of their own and of workspaces that they administer.';
COMMENT ON COLUMN app_user.kind IS '`service`: nobody signs in as it, and it has no mailbox; its address only keeps it apart.';
COMMENT ON COLUMN app_user.service_of IS 'The workspace that a service account is of, also after that was deleted.';
COMMENT ON COLUMN app_user.deleted_at IS 'When the person deleted their account; name and address are a pseudonym since.';

CREATE TABLE artifact (
  id uuid DEFAULT uuid_v7() NOT NULL,
  project_id uuid NOT NULL,
  task_id uuid NOT NULL,
  turn_id uuid NOT NULL,
  path text NOT NULL,
  name text GENERATED ALWAYS AS (regexp_replace(path, '^.*/'::text, ''::text)) STORED NOT NULL,
  media_type text NOT NULL,
  size bigint NOT NULL,
  sha256 text NOT NULL,
  storage_key text COLLATE "C" NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  published_at timestamp with time zone,
  CONSTRAINT artifact_pkey PRIMARY KEY (id),
  CONSTRAINT artifact_path_once UNIQUE (turn_id, path),
  CONSTRAINT artifact_stored_once UNIQUE (storage_key),
  CONSTRAINT artifact_media_type_check CHECK (((media_type ~ '^[a-z0-9.+-]+/[a-z0-9.+-]+$'::text) AND (length(media_type) <= 127))),
  CONSTRAINT artifact_name_check CHECK (((octet_length(name) >= 1) AND (octet_length(name) <= 255))),
  CONSTRAINT artifact_path_check CHECK ((((octet_length(path) >= 1) AND (octet_length(path) <= 1024)) AND (path !~ '[\u0001-\u001f\u007f-\u009f\\]'::text) AND (path !~ '(^|/)([.]{0,2})(/|$)'::text))),
  CONSTRAINT artifact_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT artifact_size_check CHECK ((size >= 0)),
  CONSTRAINT artifact_storage_key_check CHECK ((storage_key ~ '^[0-9a-f-]{36}/[0-9a-f-]{36}$'::text)),
  CONSTRAINT artifact_of_task FOREIGN KEY (task_id, project_id) REFERENCES task(id, project_id) ON DELETE CASCADE,
  CONSTRAINT artifact_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE,
  CONSTRAINT artifact_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES task_turn(id) ON DELETE CASCADE
);
CREATE INDEX artifact_list ON public.artifact USING btree (task_id, created_at, id);
CREATE INDEX artifact_project ON public.artifact USING btree (project_id);
CREATE TRIGGER artifact_deleted AFTER DELETE ON public.artifact REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_files();
CREATE TRIGGER artifact_stored AFTER INSERT ON public.artifact REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_files();
COMMENT ON TABLE artifact IS 'A file that a turn of the agent has produced.';
COMMENT ON COLUMN artifact.path IS 'Where the agent wrote it, relative to its folder. The bytes are under storage_key.';
COMMENT ON COLUMN artifact.name IS 'The last part of the path.';
COMMENT ON COLUMN artifact.published_at IS 'When it was appended to the events of its task.';

CREATE TABLE attachment (
  id uuid DEFAULT uuid_v7() NOT NULL,
  project_id uuid NOT NULL,
  task_id uuid,
  message_number integer,
  uploaded_by_user_id uuid NOT NULL,
  name text NOT NULL,
  media_type text NOT NULL,
  size bigint NOT NULL,
  sha256 text NOT NULL,
  storage_key text COLLATE "C" NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT attachment_pkey PRIMARY KEY (id),
  CONSTRAINT attachment_stored_once UNIQUE (storage_key),
  CONSTRAINT attachment_media_type_check CHECK (((media_type ~ '^[a-z0-9.+-]+/[a-z0-9.+-]+$'::text) AND (length(media_type) <= 127))),
  CONSTRAINT attachment_name_check CHECK ((((octet_length(name) >= 1) AND (octet_length(name) <= 255)) AND (name !~ '[\u0001-\u001f\u007f-\u009f/\\]'::text) AND (name <> ALL (ARRAY['.'::text, '..'::text])))),
  CONSTRAINT attachment_name_is_name CHECK (is_name(name)),
  CONSTRAINT attachment_of_message_is_of_task CHECK (((message_number IS NULL) OR (task_id IS NOT NULL))),
  CONSTRAINT attachment_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT attachment_size_check CHECK ((size >= 0)),
  CONSTRAINT attachment_storage_key_check CHECK ((storage_key ~ '^[0-9a-f-]{36}/[0-9a-f-]{36}$'::text)),
  CONSTRAINT attachment_of_message FOREIGN KEY (task_id, message_number) REFERENCES task_message(task_id, number) ON DELETE SET NULL (message_number),
  CONSTRAINT attachment_of_task FOREIGN KEY (task_id, project_id) REFERENCES task(id, project_id) ON DELETE CASCADE,
  CONSTRAINT attachment_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE,
  CONSTRAINT attachment_uploaded_by_user_id_fkey FOREIGN KEY (uploaded_by_user_id) REFERENCES app_user(id)
);
CREATE INDEX attachment_list ON public.attachment USING btree (task_id, created_at, id);
CREATE INDEX attachment_message ON public.attachment USING btree (task_id, message_number);
CREATE INDEX attachment_project ON public.attachment USING btree (project_id);
CREATE INDEX attachment_unused ON public.attachment USING btree (created_at) WHERE (task_id IS NULL);
CREATE INDEX attachment_uploaded_by ON public.attachment USING btree (uploaded_by_user_id);
CREATE TRIGGER attachment_deleted AFTER DELETE ON public.attachment REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_files();
CREATE TRIGGER attachment_stays BEFORE UPDATE ON public.attachment FOR EACH ROW EXECUTE FUNCTION keep_columns('id', 'project_id', 'uploaded_by_user_id', 'name', 'media_type', 'size', 'sha256', 'storage_key', 'created_at');
CREATE TRIGGER attachment_stays_with_its_task BEFORE UPDATE OF task_id ON public.attachment FOR EACH ROW WHEN ((old.task_id IS NOT NULL)) EXECUTE FUNCTION keep_columns('task_id');
CREATE TRIGGER attachment_stored AFTER INSERT ON public.attachment REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_files();
COMMENT ON TABLE attachment IS 'A file that a person gives to a task. Without a task, it waits for the first message of one, for a day.';
COMMENT ON COLUMN attachment.message_number IS 'The message of the task that it was sent with.';
COMMENT ON COLUMN attachment.name IS 'For people. It is never a path: the bytes are under storage_key.';
COMMENT ON COLUMN attachment.media_type IS 'From the bytes, not from what their sender said.';

CREATE TABLE attended_top_up (
  top_up_id uuid NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT attended_top_up_pkey PRIMARY KEY (top_up_id),
  CONSTRAINT attended_top_up_top_up_id_fkey FOREIGN KEY (top_up_id) REFERENCES top_up(id)
);
COMMENT ON TABLE attended_top_up IS 'Charges whose cardholder is there and may confirm them in the browser. Others have no row.';
COMMENT ON COLUMN attended_top_up.until IS 'Then the charge is cancelled.';

CREATE TABLE audit_event (
  id uuid DEFAULT uuid_v7() NOT NULL,
  occurred_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  actor_user_id uuid,
  key_id uuid,
  action text NOT NULL,
  outcome text NOT NULL,
  code text,
  target_id text NOT NULL,
  organization_id uuid,
  before jsonb,
  after jsonb,
  request_id text NOT NULL,
  session_id uuid,
  project_id uuid,
  transaction_id xid8 DEFAULT pg_current_xact_id(),
  for_operators boolean DEFAULT false NOT NULL,
  CONSTRAINT audit_event_pkey PRIMARY KEY (id),
  CONSTRAINT audit_event_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'refused'::text]))),
  CONSTRAINT audit_event_refused_has_code CHECK (((outcome = 'refused'::text) = (code IS NOT NULL)))
);
CREATE INDEX audit_event_for_operators ON public.audit_event USING btree (occurred_at DESC, id DESC) WHERE for_operators;
CREATE INDEX audit_event_of_action ON public.audit_event USING btree (organization_id, action, occurred_at DESC, id DESC);
CREATE INDEX audit_event_of_actor ON public.audit_event USING btree (organization_id, actor_user_id, occurred_at DESC, id DESC);
CREATE INDEX audit_event_of_project ON public.audit_event USING btree (project_id, id) WHERE (project_id IS NOT NULL);
CREATE INDEX audit_event_of_target ON public.audit_event USING btree (organization_id, target_id, occurred_at DESC, id DESC);
CREATE INDEX audit_event_of_workspace ON public.audit_event USING btree (organization_id, occurred_at DESC, id DESC);
CREATE TRIGGER audit_event_for_webhooks AFTER INSERT ON public.audit_event FOR EACH ROW WHEN (((new.organization_id IS NOT NULL) OR (new.project_id IS NOT NULL))) EXECUTE FUNCTION webhook_on_audit();
CREATE TRIGGER audit_event_insert_only BEFORE DELETE OR UPDATE ON public.audit_event FOR EACH ROW EXECUTE FUNCTION refuse_change_of_trail();
CREATE TRIGGER audit_event_no_truncate BEFORE TRUNCATE ON public.audit_event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_event_warns AFTER INSERT ON public.audit_event FOR EACH ROW WHEN (((new.outcome = 'done'::text) AND ((new.action = 'user.reset_two_factor'::text) OR ((new.session_id IS NOT NULL) AND ((new.action = ANY (ARRAY['password.set'::text, 'totp.enable'::text, 'totp.disable'::text, 'recovery_codes.renew'::text, 'passkey.create'::text, 'passkey.delete'::text, 'key.create'::text, 'application.connect'::text, 'identity.create'::text, 'identity.delete'::text])) OR ((new.action = 'sign_in_link.create'::text) AND new.for_operators)))))) EXECUTE FUNCTION queue_security_notice();
COMMENT ON TABLE audit_event IS 'Who did what to what, before and after. Insert-only, and without foreign keys: a row outlives what it is about.';
COMMENT ON COLUMN audit_event.actor_user_id IS 'Null for changes by the system or the command line.';
COMMENT ON COLUMN audit_event.code IS 'Why the attempt was refused.';
COMMENT ON COLUMN audit_event.target_id IS 'What was changed; the action says of which kind it is.';
COMMENT ON COLUMN audit_event.project_id IS 'The project that the change is about or in, if any.';
COMMENT ON COLUMN audit_event.transaction_id IS 'Null for rows from before it was recorded. A reader that stops at pg_snapshot_xmin(pg_current_snapshot()) misses no row that commits late.';
COMMENT ON COLUMN audit_event.for_operators IS 'Whether operators see it: done or tried under /api/operator, or done on the command line.';

CREATE TABLE auto_reload (
  account_id uuid NOT NULL,
  enabled boolean DEFAULT false NOT NULL,
  payment_method_id text,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  threshold bigint,
  amount bigint,
  monthly_cap bigint,
  paused_reason text,
  declines_since timestamp with time zone DEFAULT now() NOT NULL,
  looked_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  CONSTRAINT auto_reload_pkey PRIMARY KEY (account_id),
  CONSTRAINT auto_reload_amount_check CHECK ((amount > 0)),
  CONSTRAINT auto_reload_complete CHECK (((NOT enabled) OR (num_nulls(threshold, amount, monthly_cap) = 3) OR ((num_nulls(threshold, amount, monthly_cap) = 0) AND (monthly_cap >= amount)))),
  CONSTRAINT auto_reload_enabled_has_card CHECK (((NOT enabled) OR (payment_method_id IS NOT NULL))),
  CONSTRAINT auto_reload_monthly_cap_check CHECK ((monthly_cap > 0)),
  CONSTRAINT auto_reload_paused_reason_check CHECK ((paused_reason = ANY (ARRAY['declined'::text, 'authentication_required'::text, 'card_lost'::text, 'refunded'::text, 'disputed'::text]))),
  CONSTRAINT auto_reload_threshold_check CHECK ((threshold > 0)),
  CONSTRAINT auto_reload_account_id_fkey FOREIGN KEY (account_id) REFERENCES billing_account(id),
  CONSTRAINT auto_reload_payment_method_id_fkey FOREIGN KEY (payment_method_id) REFERENCES payment_method(id)
);
CREATE INDEX auto_reload_card ON public.auto_reload USING btree (payment_method_id);
CREATE INDEX auto_reload_watched ON public.auto_reload USING btree (looked_at) WHERE (enabled AND (paused_reason IS NULL));
COMMENT ON TABLE auto_reload IS 'Whether and how a balance is topped up by itself. Off without a row.';
COMMENT ON COLUMN auto_reload.threshold IS 'Micro-USD: the charge starts when less than this is available.';
COMMENT ON COLUMN auto_reload.monthly_cap IS 'Micro-USD that may be charged in a calendar month.';
COMMENT ON COLUMN auto_reload.declines_since IS 'Declines of charges that began before this do not count.';
COMMENT ON COLUMN auto_reload.looked_at IS 'When the balance was last compared with the threshold.';

CREATE TABLE auto_reload_set_by (
  account_id uuid NOT NULL,
  user_id uuid NOT NULL,
  CONSTRAINT auto_reload_set_by_pkey PRIMARY KEY (account_id),
  CONSTRAINT auto_reload_set_by_account_id_fkey FOREIGN KEY (account_id) REFERENCES auto_reload(account_id),
  CONSTRAINT auto_reload_set_by_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX auto_reload_set_by_user ON public.auto_reload_set_by USING btree (user_id);
COMMENT ON TABLE auto_reload_set_by IS 'who set the card and the figures of an auto-reload; a workspace''s charges no card of anybody else';

CREATE TABLE balance_fetch (
  only_one boolean DEFAULT true NOT NULL,
  fetched_until timestamp with time zone NOT NULL,
  CONSTRAINT balance_fetch_pkey PRIMARY KEY (only_one),
  CONSTRAINT balance_fetch_only_one_check CHECK (only_one)
);
COMMENT ON TABLE balance_fetch IS 'How far the changes of the balance at Stripe were fetched.';
COMMENT ON COLUMN balance_fetch.fetched_until IS 'Everything before was fetched.';

CREATE TABLE balance_transaction (
  id text NOT NULL,
  category text NOT NULL,
  type text NOT NULL,
  amount bigint NOT NULL,
  fee bigint NOT NULL,
  net bigint GENERATED ALWAYS AS ((amount - fee)) STORED NOT NULL,
  currency text NOT NULL,
  source_id text,
  intent_id text,
  top_up_id text,
  created_at timestamp with time zone NOT NULL,
  fetched_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT balance_transaction_pkey PRIMARY KEY (id),
  CONSTRAINT balance_transaction_category_check CHECK ((category = ANY (ARRAY['charge'::text, 'refund'::text, 'dispute'::text, 'fee'::text, 'other'::text]))),
  CONSTRAINT balance_transaction_currency_check CHECK ((currency ~ '^[a-z]{3}$'::text)),
  CONSTRAINT balance_transaction_id_check CHECK ((id ~ '^[!-~]{1,255}$'::text)),
  CONSTRAINT balance_transaction_type_check CHECK (((length(type) >= 1) AND (length(type) <= 255)))
);
CREATE INDEX balance_transaction_intent ON public.balance_transaction USING btree (intent_id);
CREATE INDEX balance_transaction_time ON public.balance_transaction USING btree (created_at);
CREATE TRIGGER balance_transaction_insert_only BEFORE DELETE OR UPDATE ON public.balance_transaction FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER balance_transaction_no_truncate BEFORE TRUNCATE ON public.balance_transaction FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
COMMENT ON TABLE balance_transaction IS 'Every change of the balance at Stripe, as Stripe reports it. Insert-only.';
COMMENT ON COLUMN balance_transaction.category IS 'Ours, of what Stripe calls its reporting category.';
COMMENT ON COLUMN balance_transaction.amount IS 'Micro-USD, negative for what leaves. In another currency, its hundredths times 10,000.';
COMMENT ON COLUMN balance_transaction.fee IS 'What Stripe keeps of it, in the same unit; negative for a fee that is returned.';
COMMENT ON COLUMN balance_transaction.source_id IS 'The charge, refund or dispute.';
COMMENT ON COLUMN balance_transaction.intent_id IS 'Its payment intent.';
COMMENT ON COLUMN balance_transaction.top_up_id IS 'What the charge says of the top-up that it is for. Text, because it may be of another database.';
COMMENT ON COLUMN balance_transaction.created_at IS 'By the clock of Stripe.';

CREATE TABLE billing_account (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  kind text NOT NULL,
  user_id uuid,
  organization_id uuid,
  system_name text,
  status text DEFAULT 'active'::text NOT NULL,
  successor_id uuid,
  balance bigint DEFAULT 0 NOT NULL,
  held bigint DEFAULT 0 NOT NULL,
  version bigint DEFAULT 0 NOT NULL,
  posted_version bigint GENERATED ALWAYS AS (NULLIF(version, 0)) STORED,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  customer_id text,
  CONSTRAINT billing_account_pkey PRIMARY KEY (id),
  CONSTRAINT billing_account_customer_id_key UNIQUE (customer_id),
  CONSTRAINT billing_account_organization_id_key UNIQUE (organization_id),
  CONSTRAINT billing_account_system_name_key UNIQUE (system_name),
  CONSTRAINT billing_account_user_id_key UNIQUE (user_id),
  CONSTRAINT billing_account_balance_check CHECK ((abs(balance) <= '1000000000000000'::bigint)),
  CONSTRAINT billing_account_closed_is_empty CHECK (((status <> 'closed'::text) OR ((balance = 0) AND (held = 0) AND (successor_id IS NOT NULL)))),
  CONSTRAINT billing_account_debt_is_frozen CHECK (((balance >= 0) OR (status = 'frozen'::text))),
  CONSTRAINT billing_account_held_check CHECK ((held >= 0)),
  CONSTRAINT billing_account_is_not_its_successor CHECK ((successor_id <> id)),
  CONSTRAINT billing_account_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'workspace'::text, 'system'::text]))),
  CONSTRAINT billing_account_open_workspace_exists CHECK (((kind <> 'workspace'::text) OR (status = 'closed'::text) OR (organization_id IS NOT NULL))),
  CONSTRAINT billing_account_organization_has_workspace_kind CHECK (((organization_id IS NULL) OR (kind = 'workspace'::text))),
  CONSTRAINT billing_account_status_check CHECK ((status = ANY (ARRAY['active'::text, 'frozen'::text, 'closed'::text]))),
  CONSTRAINT billing_account_system_has_name CHECK (((kind = 'system'::text) = (system_name IS NOT NULL))),
  CONSTRAINT billing_account_system_has_no_balance CHECK (((kind <> 'system'::text) OR ((version = 0) AND (status = 'active'::text)))),
  CONSTRAINT billing_account_system_id CHECK (((kind = 'system'::text) = ((id >= '00000000-0000-4000-9000-000000000000'::uuid) AND (id <= '00000000-0000-4000-9000-ffffffffffff'::uuid)))),
  CONSTRAINT billing_account_system_name_check CHECK ((system_name = ANY (ARRAY['processor_clearing'::text, 'transfer_clearing'::text, 'revenue'::text, 'disputes'::text, 'promotions'::text, 'write_offs'::text, 'test_money'::text]))),
  CONSTRAINT billing_account_unposted_is_empty CHECK (((version > 0) OR (balance = 0))),
  CONSTRAINT billing_account_user_has_user CHECK (((kind = 'user'::text) = (user_id IS NOT NULL))),
  CONSTRAINT billing_account_version_check CHECK ((version >= 0)),
  CONSTRAINT billing_account_is_its_last_row FOREIGN KEY (id, posted_version, balance) REFERENCES ledger_transfer(account_id, version, balance) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT billing_account_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id) ON DELETE SET NULL,
  CONSTRAINT billing_account_successor_id_fkey FOREIGN KEY (successor_id) REFERENCES billing_account(id),
  CONSTRAINT billing_account_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX billing_account_successor ON public.billing_account USING btree (successor_id);
CREATE TRIGGER billing_account_has_details AFTER INSERT ON public.billing_account FOR EACH ROW WHEN ((new.kind <> 'system'::text)) EXECUTE FUNCTION open_billing_details();
COMMENT ON TABLE billing_account IS 'What holds a balance: one for each user and each workspace, and the system accounts on the other side of the postings.';
COMMENT ON COLUMN billing_account.successor_id IS 'Who received the balance when the account was closed.';
COMMENT ON COLUMN billing_account.balance IS 'Micro-USD. Moves only by an insert into ledger_transfer; 0 for system accounts, whose balance is the sum of their rows.';
COMMENT ON COLUMN billing_account.held IS 'Micro-USD: the sum of the open holds.';
COMMENT ON COLUMN billing_account.version IS 'How many postings the account has.';
COMMENT ON COLUMN billing_account.posted_version IS 'The version, or null before the first posting: for the foreign key to the last row of the account.';
COMMENT ON COLUMN billing_account.customer_id IS 'The card processor''s name for the person.';

CREATE TABLE billing_details (
  id uuid NOT NULL,
  name text,
  address text[],
  country text,
  tax_id text,
  email text,
  mail_receipts boolean DEFAULT false NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT billing_details_pkey PRIMARY KEY (id),
  CONSTRAINT billing_details_address_check CHECK (((cardinality(address) >= 1) AND (cardinality(address) <= 6))),
  CONSTRAINT billing_details_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  CONSTRAINT billing_details_email_check CHECK (((email = btrim(email)) AND (POSITION(('@'::text) IN (email)) > 1) AND (length(email) <= 320))),
  CONSTRAINT billing_details_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CONSTRAINT billing_details_tax_id_check CHECK (((length(tax_id) >= 1) AND (length(tax_id) <= 50))),
  CONSTRAINT billing_details_id_fkey FOREIGN KEY (id) REFERENCES billing_account(id)
);
COMMENT ON TABLE billing_details IS 'What invoices say of a customer: one row for each account of a person or a workspace.';
COMMENT ON COLUMN billing_details.id IS 'The id of the account.';
COMMENT ON COLUMN billing_details.address IS 'The lines below the name, without the country.';
COMMENT ON COLUMN billing_details.country IS 'ISO 3166-1 alpha-2.';
COMMENT ON COLUMN billing_details.email IS 'Where receipts go; without it, to the person who pays.';
COMMENT ON COLUMN billing_details.mail_receipts IS 'Whether receipts are mailed at all.';

CREATE TABLE billing_mode (
  only_one boolean DEFAULT true NOT NULL,
  mode text NOT NULL,
  test_money boolean NOT NULL,
  real_since timestamp with time zone,
  void_id uuid,
  voided_at timestamp with time zone,
  changed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT billing_mode_pkey PRIMARY KEY (only_one),
  CONSTRAINT billing_mode_knows_its_money CHECK (
CASE mode
    WHEN 'sandbox'::text THEN test_money
    WHEN 'stripe'::text THEN true
    ELSE (NOT test_money)
END),
  CONSTRAINT billing_mode_mode_check CHECK ((mode = ANY (ARRAY['stripe'::text, 'credits'::text, 'off'::text, 'sandbox'::text]))),
  CONSTRAINT billing_mode_only_one_check CHECK (only_one),
  CONSTRAINT billing_mode_says_since_when CHECK ((test_money = (real_since IS NULL))),
  CONSTRAINT billing_mode_voids_test_money CHECK (((voided_at IS NULL) OR (NOT test_money)))
);
CREATE TRIGGER billing_mode_moves_on BEFORE UPDATE ON public.billing_mode FOR EACH ROW EXECUTE FUNCTION check_billing_mode();
CREATE TRIGGER billing_mode_no_delete BEFORE DELETE ON public.billing_mode FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER billing_mode_no_truncate BEFORE TRUNCATE ON public.billing_mode FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
COMMENT ON TABLE billing_mode IS 'How work is paid for: one row, from the first start of a server. Every process goes by it, whatever its own BILLING says.';
COMMENT ON COLUMN billing_mode.test_money IS 'Whether balances were paid with test cards. Once they are not, they never are again.';
COMMENT ON COLUMN billing_mode.real_since IS 'Top-ups that were begun before are not credited any more. -infinity: there was no test money before.';
COMMENT ON COLUMN billing_mode.void_id IS 'The audit event of the change that ended test money, which the postings that void it refer to.';
COMMENT ON COLUMN billing_mode.voided_at IS 'When the last balance of test money was voided. Until then nothing is held and no server answers.';

CREATE TABLE billing_notice (
  id uuid DEFAULT uuid_v7() NOT NULL,
  kind text NOT NULL,
  user_id uuid NOT NULL,
  account_id uuid NOT NULL,
  occasion text NOT NULL,
  top_up_id uuid,
  payment_method_id text,
  expires_at timestamp with time zone,
  threshold bigint,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT billing_notice_pkey PRIMARY KEY (id),
  CONSTRAINT billing_notice_once UNIQUE (kind, occasion, user_id),
  CONSTRAINT billing_notice_kind_check CHECK ((kind = ANY (ARRAY['auto_reload_failed'::text, 'low_balance'::text, 'card_expiring'::text, 'card_expired'::text]))),
  CONSTRAINT billing_notice_occasion_check CHECK (((length(occasion) >= 1) AND (length(occasion) <= 200))),
  CONSTRAINT billing_notice_account_id_fkey FOREIGN KEY (account_id) REFERENCES billing_account(id),
  CONSTRAINT billing_notice_payment_method_id_fkey FOREIGN KEY (payment_method_id) REFERENCES payment_method(id),
  CONSTRAINT billing_notice_top_up_id_fkey FOREIGN KEY (top_up_id) REFERENCES top_up(id),
  CONSTRAINT billing_notice_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX billing_notice_of_account ON public.billing_notice USING btree (account_id);
CREATE INDEX billing_notice_of_card ON public.billing_notice USING btree (payment_method_id);
CREATE INDEX billing_notice_of_top_up ON public.billing_notice USING btree (top_up_id);
CREATE INDEX billing_notice_of_user ON public.billing_notice USING btree (user_id);
COMMENT ON TABLE billing_notice IS 'Mail to one person about a balance or a card, once for each occasion: the subject of the mail.';
COMMENT ON COLUMN billing_notice.account_id IS 'The balance that it is about.';
COMMENT ON COLUMN billing_notice.occasion IS 'The charge that failed, the posting after which the balance was low, or the card with its expiry.';
COMMENT ON COLUMN billing_notice.expires_at IS 'When the card ends, as it was then.';
COMMENT ON COLUMN billing_notice.threshold IS 'Micro-USD that the balance fell below.';

CREATE TABLE card_setup (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  key_id uuid,
  session_id uuid,
  request_id text NOT NULL,
  processor text NOT NULL,
  processor_id text NOT NULL,
  status text DEFAULT 'open'::text NOT NULL,
  payment_method_id text,
  failure_code text,
  next_check_at timestamp with time zone DEFAULT (now() + '00:01:00'::interval),
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT card_setup_pkey PRIMARY KEY (id),
  CONSTRAINT card_setup_processor_id_key UNIQUE (processor_id),
  CONSTRAINT card_setup_failed_has_code CHECK (((status = 'failed'::text) = (failure_code IS NOT NULL))),
  CONSTRAINT card_setup_failure_code_check CHECK (((length(failure_code) >= 1) AND (length(failure_code) <= 100))),
  CONSTRAINT card_setup_open_is_checked CHECK (((status = 'open'::text) = (next_check_at IS NOT NULL))),
  CONSTRAINT card_setup_processor_check CHECK ((processor = ANY (ARRAY['stripe'::text, 'sandbox'::text]))),
  CONSTRAINT card_setup_processor_id_check CHECK (((length(processor_id) >= 1) AND (length(processor_id) <= 255))),
  CONSTRAINT card_setup_status_check CHECK ((status = ANY (ARRAY['open'::text, 'succeeded'::text, 'failed'::text]))),
  CONSTRAINT card_setup_succeeded_has_card CHECK (((status = 'succeeded'::text) = (payment_method_id IS NOT NULL))),
  CONSTRAINT card_setup_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(id),
  CONSTRAINT card_setup_payment_method_id_fkey FOREIGN KEY (payment_method_id) REFERENCES payment_method(id),
  CONSTRAINT card_setup_session_id_fkey FOREIGN KEY (session_id) REFERENCES session(id),
  CONSTRAINT card_setup_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX card_setup_card ON public.card_setup USING btree (payment_method_id);
CREATE INDEX card_setup_due ON public.card_setup USING btree (next_check_at) WHERE (status = 'open'::text);
CREATE INDEX card_setup_key ON public.card_setup USING btree (key_id);
CREATE INDEX card_setup_session ON public.card_setup USING btree (session_id);
CREATE INDEX card_setup_user ON public.card_setup USING btree (user_id);
CREATE TRIGGER card_setup_keeps_its_request BEFORE UPDATE OF id, user_id, key_id, session_id, request_id, processor, processor_id, created_at ON public.card_setup FOR EACH ROW EXECUTE FUNCTION keep_columns('id', 'user_id', 'key_id', 'session_id', 'request_id', 'processor', 'processor_id', 'created_at');
COMMENT ON TABLE card_setup IS 'One attempt of a person to save a card.';
COMMENT ON COLUMN card_setup.processor_id IS 'The card processor''s id of the attempt.';
COMMENT ON COLUMN card_setup.next_check_at IS 'When the processor is asked next; null when nothing is left to ask.';

CREATE TABLE card_share (
  payment_method_id text NOT NULL,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT card_share_pkey PRIMARY KEY (payment_method_id, organization_id),
  CONSTRAINT card_share_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) ON DELETE CASCADE,
  CONSTRAINT card_share_payment_method_id_fkey FOREIGN KEY (payment_method_id) REFERENCES payment_method(id)
);
CREATE INDEX card_share_member ON public.card_share USING btree (organization_id, user_id);
COMMENT ON TABLE card_share IS 'Cards that an owner or admin lets the others of a workspace see. It gives no one the right to charge them.';
COMMENT ON COLUMN card_share.user_id IS 'The person of the card.';

CREATE TABLE check_fix (
  suite_id uuid NOT NULL,
  task_id uuid NOT NULL,
  message_number integer NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT check_fix_pkey PRIMARY KEY (suite_id),
  CONSTRAINT check_fix_task_id_message_number_key UNIQUE (task_id, message_number),
  CONSTRAINT check_fix_suite_id_fkey FOREIGN KEY (suite_id) REFERENCES check_suite(id) ON DELETE CASCADE,
  CONSTRAINT check_fix_task_id_message_number_fkey FOREIGN KEY (task_id, message_number) REFERENCES task_message(task_id, number) ON DELETE CASCADE
);
CREATE TRIGGER check_fix_begun AFTER INSERT ON public.check_fix FOR EACH ROW EXECUTE FUNCTION note_check_fix();
COMMENT ON TABLE check_fix IS 'The message that asks the agent to fix the failed checks of a commit: one for each.';

CREATE TABLE check_log (
  check_id uuid NOT NULL,
  content text NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  removed_at timestamp with time zone,
  CONSTRAINT check_log_pkey PRIMARY KEY (check_id),
  CONSTRAINT check_log_content_check CHECK ((octet_length(content) <= 300000)),
  CONSTRAINT check_log_check_id_fkey FOREIGN KEY (check_id) REFERENCES check_run(id) ON DELETE CASCADE
);
CREATE INDEX check_log_kept ON public.check_log USING btree (updated_at) WHERE (removed_at IS NULL);
COMMENT ON TABLE check_log IS 'The end of what a check has written.';
COMMENT ON COLUMN check_log.removed_at IS 'When a sentence replaced the log because of its age.';

CREATE TABLE check_run (
  id uuid DEFAULT uuid_v7() NOT NULL,
  suite_id uuid NOT NULL,
  "position" integer NOT NULL,
  name text NOT NULL,
  command text,
  timeout_minutes integer,
  host_check_id bigint,
  details_url text,
  state text DEFAULT 'queued'::text NOT NULL,
  conclusion text,
  started_at timestamp with time zone,
  completed_at timestamp with time zone,
  kind text DEFAULT 'shell'::text NOT NULL,
  failures jsonb,
  CONSTRAINT check_run_pkey PRIMARY KEY (id),
  CONSTRAINT check_run_suite_id_position_key UNIQUE (suite_id, "position"),
  CONSTRAINT check_run_command CHECK (((command IS NULL) = (timeout_minutes IS NULL))),
  CONSTRAINT check_run_command_check CHECK (((length(command) >= 1) AND (length(command) <= 4000))),
  CONSTRAINT check_run_conclusion_check CHECK ((conclusion = ANY (ARRAY['success'::text, 'failure'::text, 'neutral'::text, 'cancelled'::text, 'skipped'::text, 'timed_out'::text, 'action_required'::text, 'stale'::text, 'startup_failure'::text]))),
  CONSTRAINT check_run_details_url_check CHECK (((length(details_url) >= 1) AND (length(details_url) <= 2000))),
  CONSTRAINT check_run_failures_check CHECK ((jsonb_typeof(failures) = 'array'::text)),
  CONSTRAINT check_run_kind_check CHECK ((kind = ANY (ARRAY['shell'::text, 'odoo'::text]))),
  CONSTRAINT check_run_name_check CHECK (((length(name) >= 1) AND (length(name) <= 300))),
  CONSTRAINT check_run_outcome CHECK ((((state = 'completed'::text) = (conclusion IS NOT NULL)) AND ((state = 'completed'::text) = (completed_at IS NOT NULL)))),
  CONSTRAINT check_run_position_check CHECK (("position" > 0)),
  CONSTRAINT check_run_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'in_progress'::text, 'completed'::text]))),
  CONSTRAINT check_run_timeout_minutes_check CHECK (((timeout_minutes >= 1) AND (timeout_minutes <= 60))),
  CONSTRAINT check_run_suite_id_fkey FOREIGN KEY (suite_id) REFERENCES check_suite(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX check_run_of_host ON public.check_run USING btree (suite_id, host_check_id);
CREATE TRIGGER check_added AFTER INSERT ON public.check_run FOR EACH ROW WHEN ((new.state <> 'queued'::text)) EXECUTE FUNCTION note_check();
CREATE TRIGGER check_changed AFTER UPDATE OF state, conclusion ON public.check_run FOR EACH ROW WHEN ((((old.state IS DISTINCT FROM new.state) OR (old.conclusion IS DISTINCT FROM new.conclusion)) AND (new.state <> 'queued'::text))) EXECUTE FUNCTION note_check();
COMMENT ON TABLE check_run IS 'A check of a commit, and what came of it.';
COMMENT ON COLUMN check_run.command IS 'For the shell. Null for a check of another host, and for a build file that cannot be read.';
COMMENT ON COLUMN check_run.host_check_id IS 'What the code host calls it; null for the local host.';
COMMENT ON COLUMN check_run.kind IS 'odoo: the tests of the Odoo modules of the commit, where command is the value of --test-tags.';
COMMENT ON COLUMN check_run.failures IS 'The tests that have failed, as their log tells: objects with test, file and text.';

CREATE TABLE check_suite (
  id uuid DEFAULT uuid_v7() NOT NULL,
  task_id uuid NOT NULL,
  head_sha text NOT NULL,
  state text DEFAULT 'queued'::text NOT NULL,
  conclusion text,
  attempts integer DEFAULT 0 NOT NULL,
  held_by uuid,
  held_until timestamp with time zone,
  pod_id uuid,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT check_suite_pkey PRIMARY KEY (id),
  CONSTRAINT check_suite_task_id_head_sha_key UNIQUE (task_id, head_sha),
  CONSTRAINT check_suite_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT check_suite_conclusion_check CHECK ((conclusion = ANY (ARRAY['none'::text, 'passed'::text, 'failed'::text, 'cancelled'::text]))),
  CONSTRAINT check_suite_head_sha_check CHECK ((head_sha ~ '^[0-9a-f]{40}$'::text)),
  CONSTRAINT check_suite_held CHECK (((state = 'running'::text) OR ((held_by IS NULL) AND (held_until IS NULL) AND (pod_id IS NULL)))),
  CONSTRAINT check_suite_outcome CHECK ((((state = 'completed'::text) = (conclusion IS NOT NULL)) AND ((state = 'completed'::text) = (ended_at IS NOT NULL)))),
  CONSTRAINT check_suite_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text]))),
  CONSTRAINT check_suite_task_id_fkey FOREIGN KEY (task_id) REFERENCES pull_request(task_id) ON DELETE CASCADE
);
CREATE INDEX check_suite_due ON public.check_suite USING btree (created_at) WHERE (state <> 'completed'::text);
CREATE INDEX check_suite_failed ON public.check_suite USING btree (task_id) WHERE (conclusion = 'failed'::text);
CREATE INDEX check_suite_pod ON public.check_suite USING btree (pod_id) WHERE (pod_id IS NOT NULL);
CREATE TRIGGER checks_begun AFTER INSERT ON public.check_suite FOR EACH ROW EXECUTE FUNCTION note_checks();
CREATE TRIGGER checks_changed AFTER UPDATE OF conclusion ON public.check_suite FOR EACH ROW WHEN ((old.conclusion IS DISTINCT FROM new.conclusion)) EXECUTE FUNCTION note_checks();
CREATE TRIGGER checks_failed_for_webhooks AFTER UPDATE OF conclusion ON public.check_suite FOR EACH ROW WHEN (((new.conclusion = 'failed'::text) AND (old.conclusion IS DISTINCT FROM new.conclusion))) EXECUTE FUNCTION webhook_on_checks();
CREATE TRIGGER checks_found_failed_for_webhooks AFTER INSERT ON public.check_suite FOR EACH ROW WHEN ((new.conclusion = 'failed'::text)) EXECUTE FUNCTION webhook_on_checks();
COMMENT ON TABLE check_suite IS 'The checks of one commit of a pull request. Of the local host, a worker runs them one by one.';
COMMENT ON COLUMN check_suite.conclusion IS 'none: the commit has no checks. cancelled: the branch has moved since.';
COMMENT ON COLUMN check_suite.attempts IS 'How often a worker has begun with it, apart from those that have given it back.';
COMMENT ON COLUMN check_suite.held_by IS 'The attempt of a worker that alone may write what comes of it, until another one takes it over.';
COMMENT ON COLUMN check_suite.held_until IS 'When another worker may take it over.';
COMMENT ON COLUMN check_suite.pod_id IS 'The pod in which a check of it runs now.';

CREATE TABLE database_timeline (
  system_identifier bigint NOT NULL,
  timeline integer NOT NULL,
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  CONSTRAINT database_timeline_pkey PRIMARY KEY (system_identifier, timeline),
  CONSTRAINT database_timeline_id_key UNIQUE (id),
  CONSTRAINT database_timeline_timeline_check CHECK ((timeline > 0))
);
COMMENT ON TABLE database_timeline IS 'A mark in the write-ahead log of each timeline on which a server with DATABASE_REPLICA_URLS has found its primary. Positions of two timelines cannot be compared: a replica that lacks the mark follows another primary, or has what was lost when this one was promoted.';

CREATE TABLE deploy (
  id uuid DEFAULT uuid_v7() NOT NULL,
  project_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  merge_id uuid,
  branch text NOT NULL,
  stage text NOT NULL,
  commit_sha text NOT NULL,
  height integer,
  state text DEFAULT 'queued'::text NOT NULL,
  reason text,
  url text,
  host_deployment_id bigint,
  host_context text,
  held_by uuid,
  held_until timestamp with time zone,
  attempts integer DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  pod_id uuid,
  CONSTRAINT deploy_pkey PRIMARY KEY (id),
  CONSTRAINT deploy_merge_id_key UNIQUE (merge_id),
  CONSTRAINT deploy_of_host UNIQUE (repository_id, host_deployment_id),
  CONSTRAINT deploy_of_status UNIQUE (repository_id, host_context, commit_sha),
  CONSTRAINT deploy_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT deploy_branch_check CHECK (is_branch_name(branch)),
  CONSTRAINT deploy_commit_sha_check CHECK ((commit_sha ~ '^[0-9a-f]{40}$'::text)),
  CONSTRAINT deploy_height_check CHECK ((height > 0)),
  CONSTRAINT deploy_holder CHECK ((((held_by IS NULL) = (held_until IS NULL)) AND ((held_by IS NOT NULL) = ((state = 'running'::text) AND (height IS NOT NULL))))),
  CONSTRAINT deploy_host_context_check CHECK (((length(host_context) >= 1) AND (length(host_context) <= 300))),
  CONSTRAINT deploy_origin CHECK ((num_nonnulls(height, host_deployment_id, host_context) = 1)),
  CONSTRAINT deploy_outcome CHECK (((state = ANY (ARRAY['queued'::text, 'running'::text])) = (ended_at IS NULL))),
  CONSTRAINT deploy_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000))),
  CONSTRAINT deploy_stage_check CHECK ((stage = ANY (ARRAY['staging'::text, 'production'::text]))),
  CONSTRAINT deploy_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'success'::text, 'warning'::text, 'failed'::text, 'superseded'::text]))),
  CONSTRAINT deploy_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2000))),
  CONSTRAINT deploy_merge_id_fkey FOREIGN KEY (merge_id) REFERENCES merge(id) ON DELETE SET NULL,
  CONSTRAINT deploy_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE,
  CONSTRAINT deploy_repository_id_fkey FOREIGN KEY (repository_id) REFERENCES repository(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX deploy_at_work ON public.deploy USING btree (repository_id, branch) WHERE ((state = 'running'::text) AND (height IS NOT NULL));
CREATE INDEX deploy_due ON public.deploy USING btree (created_at) WHERE ((state = ANY (ARRAY['queued'::text, 'running'::text])) AND (height IS NOT NULL));
CREATE INDEX deploy_of_branch ON public.deploy USING btree (repository_id, branch, height);
CREATE INDEX deploy_of_project ON public.deploy USING btree (project_id, created_at, id);
CREATE UNIQUE INDEX deploy_pod ON public.deploy USING btree (pod_id);
CREATE TRIGGER deploy_changed AFTER UPDATE OF state ON public.deploy FOR EACH ROW WHEN ((old.state <> new.state)) EXECUTE FUNCTION note_deploy();
CREATE TRIGGER deploy_ended_for_webhooks AFTER UPDATE OF state ON public.deploy FOR EACH ROW WHEN (((old.state <> new.state) AND (new.state = ANY (ARRAY['success'::text, 'warning'::text, 'failed'::text])))) EXECUTE FUNCTION webhook_on_deploy();
CREATE TRIGGER deploy_found_ended_for_webhooks AFTER INSERT ON public.deploy FOR EACH ROW WHEN ((new.state = ANY (ARRAY['success'::text, 'warning'::text, 'failed'::text]))) EXECUTE FUNCTION webhook_on_deploy();
CREATE TRIGGER deploy_made AFTER INSERT ON public.deploy FOR EACH ROW EXECUTE FUNCTION note_deploy();
COMMENT ON TABLE deploy IS 'That a commit of a branch is deployed, and what came of it. A worker carries out those of local repositories.';
COMMENT ON COLUMN deploy.merge_id IS 'The merge that made the commit; null once its task is deleted.';
COMMENT ON COLUMN deploy.height IS 'Commits of the branch up to this one, along first parents: of two deploys, the newer one has more. Null for what a code host deploys.';
COMMENT ON COLUMN deploy.host_context IS 'The name of the commit status that it was read from.';
COMMENT ON COLUMN deploy.held_by IS 'Names the hold of the worker that carries it out, anew for each.';
COMMENT ON COLUMN deploy.attempts IS 'How many workers have begun it.';
COMMENT ON COLUMN deploy.pod_id IS 'Where its command was begun last. Whoever takes it over ends that first.';

CREATE TABLE deploy_log (
  deploy_id uuid NOT NULL,
  content text NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  removed_at timestamp with time zone,
  CONSTRAINT deploy_log_pkey PRIMARY KEY (deploy_id),
  CONSTRAINT deploy_log_content_check CHECK ((octet_length(content) <= 270000)),
  CONSTRAINT deploy_log_deploy_id_fkey FOREIGN KEY (deploy_id) REFERENCES deploy(id) ON DELETE CASCADE
);
CREATE INDEX deploy_log_kept ON public.deploy_log USING btree (updated_at) WHERE (removed_at IS NULL);
COMMENT ON TABLE deploy_log IS 'The last that the command of a deploy has printed.';
COMMENT ON COLUMN deploy_log.removed_at IS 'When a sentence replaced the log because of its age.';

CREATE TABLE diff_comment (
  id uuid DEFAULT uuid_v7() NOT NULL,
  task_id uuid NOT NULL,
  commit_sha text NOT NULL,
  path text NOT NULL,
  side text NOT NULL,
  line integer NOT NULL,
  line_text text NOT NULL,
  text text NOT NULL,
  author_user_id uuid NOT NULL,
  resolved_at timestamp with time zone,
  resolved_by_user_id uuid,
  message_number integer,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  start_line integer,
  CONSTRAINT diff_comment_pkey PRIMARY KEY (id),
  CONSTRAINT diff_comment_commit_sha_check CHECK ((commit_sha ~ '^[0-9a-f]{40,64}$'::text)),
  CONSTRAINT diff_comment_line_check CHECK ((line > 0)),
  CONSTRAINT diff_comment_line_text_check CHECK ((length(line_text) <= 2000)),
  CONSTRAINT diff_comment_lines_in_order CHECK (((start_line >= 1) AND (start_line <= line))),
  CONSTRAINT diff_comment_message_number_check CHECK ((message_number > 0)),
  CONSTRAINT diff_comment_path_check CHECK (((length(path) >= 1) AND (length(path) <= 2000))),
  CONSTRAINT diff_comment_resolution_is_complete CHECK (((resolved_at IS NULL) = (resolved_by_user_id IS NULL))),
  CONSTRAINT diff_comment_side_check CHECK ((side = ANY (ARRAY['old'::text, 'new'::text]))),
  CONSTRAINT diff_comment_text_check CHECK (((length(text) >= 1) AND (length(text) <= 10000))),
  CONSTRAINT diff_comment_author_user_id_fkey FOREIGN KEY (author_user_id) REFERENCES app_user(id),
  CONSTRAINT diff_comment_of_message FOREIGN KEY (task_id, message_number) REFERENCES task_message(task_id, number) ON DELETE SET NULL (message_number),
  CONSTRAINT diff_comment_resolved_by_user_id_fkey FOREIGN KEY (resolved_by_user_id) REFERENCES app_user(id),
  CONSTRAINT diff_comment_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE
);
CREATE INDEX diff_comment_author ON public.diff_comment USING btree (author_user_id);
CREATE INDEX diff_comment_message ON public.diff_comment USING btree (task_id, message_number);
CREATE INDEX diff_comment_of_task ON public.diff_comment USING btree (task_id, id);
CREATE INDEX diff_comment_resolved_by ON public.diff_comment USING btree (resolved_by_user_id);
CREATE TRIGGER diff_comment_mentions AFTER INSERT ON public.diff_comment FOR EACH ROW WHEN ((new.text ~ '@\S+@'::text)) EXECUTE FUNCTION note_mentions();
COMMENT ON TABLE diff_comment IS 'What people say about lines of the code that a task changed.';
COMMENT ON COLUMN diff_comment.commit_sha IS 'The commit on whose files it was written: of the old side, the one that the task began with.';
COMMENT ON COLUMN diff_comment.line_text IS 'The line as its author saw it: finds it again in later commits.';
COMMENT ON COLUMN diff_comment.message_number IS 'The message of the task that told it to the agent; null until it is sent.';
COMMENT ON COLUMN diff_comment.start_line IS 'The first of the lines that it is about; null for a comment on one line.';

CREATE TABLE dispute (
  id text NOT NULL,
  top_up_id uuid NOT NULL,
  withdrawn bigint DEFAULT 0 NOT NULL,
  postings integer DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT dispute_pkey PRIMARY KEY (id),
  CONSTRAINT dispute_top_up_id_fkey FOREIGN KEY (top_up_id) REFERENCES top_up(id)
);
CREATE INDEX dispute_top_up ON public.dispute USING btree (top_up_id);
COMMENT ON TABLE dispute IS 'A dispute of a charge, by the card processor''s id.';
COMMENT ON COLUMN dispute.withdrawn IS 'Micro-USD that are held back now: withdrawn less reinstated.';
COMMENT ON COLUMN dispute.postings IS 'How many postings followed it; numbers their keys.';

CREATE TABLE erp_instance (
  id uuid DEFAULT uuid_v7() NOT NULL,
  task_id uuid NOT NULL,
  driver text NOT NULL,
  state text DEFAULT 'starting'::text NOT NULL,
  reason text,
  erp_version text NOT NULL,
  edition text NOT NULL,
  database_name text NOT NULL,
  url text,
  requested_by_user_id uuid NOT NULL,
  owner text,
  lease_until timestamp with time zone,
  not_before timestamp with time zone DEFAULT now() NOT NULL,
  attempt integer DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  ready_at timestamp with time zone,
  expires_at timestamp with time zone NOT NULL,
  cleared_at timestamp with time zone,
  counted_until timestamp with time zone,
  uncounted_ms bigint DEFAULT 0 NOT NULL,
  reason_code text,
  renewed_at timestamp with time zone,
  offered_sha text,
  commit_sha text,
  broken_sha text,
  problem text,
  asked text,
  entry_url text,
  data text,
  CONSTRAINT erp_instance_pkey PRIMARY KEY (id),
  CONSTRAINT erp_instance_asked_check CHECK ((asked = ANY (ARRAY['restart'::text, 'reset'::text]))),
  CONSTRAINT erp_instance_attempt_check CHECK ((attempt >= 0)),
  CONSTRAINT erp_instance_broken_sha_check CHECK ((broken_sha ~ '^[0-9a-f]{40,64}$'::text)),
  CONSTRAINT erp_instance_commit_sha_check CHECK ((commit_sha ~ '^[0-9a-f]{40,64}$'::text)),
  CONSTRAINT erp_instance_data_check CHECK ((data = ANY (ARRAY['empty'::text, 'demo'::text, 'dump'::text]))),
  CONSTRAINT erp_instance_database_name_check CHECK ((database_name ~ '^[a-z][a-z0-9_]{0,62}$'::text)),
  CONSTRAINT erp_instance_driver_check CHECK (((length(driver) >= 1) AND (length(driver) <= 50))),
  CONSTRAINT erp_instance_edition_check CHECK ((edition = ANY (ARRAY['community'::text, 'enterprise'::text]))),
  CONSTRAINT erp_instance_ended_without_owner CHECK (((state <> ALL (ARRAY['failed'::text, 'ended'::text])) OR (owner IS NULL))),
  CONSTRAINT erp_instance_entry_url_check CHECK (((length(entry_url) >= 1) AND (length(entry_url) <= 500))),
  CONSTRAINT erp_instance_erp_version_check CHECK (((length(erp_version) >= 1) AND (length(erp_version) <= 20))),
  CONSTRAINT erp_instance_failed_for_a_reason CHECK (((state = 'failed'::text) = (reason IS NOT NULL))),
  CONSTRAINT erp_instance_is_cleared_at_its_end CHECK (
CASE state
    WHEN 'ended'::text THEN (cleared_at IS NOT NULL)
    WHEN 'failed'::text THEN true
    ELSE (cleared_at IS NULL)
END),
  CONSTRAINT erp_instance_is_leased_completely CHECK (((owner IS NULL) = (lease_until IS NULL))),
  CONSTRAINT erp_instance_offered_sha_check CHECK ((offered_sha ~ '^[0-9a-f]{40,64}$'::text)),
  CONSTRAINT erp_instance_owner_check CHECK (((length(owner) >= 1) AND (length(owner) <= 200))),
  CONSTRAINT erp_instance_problem_check CHECK (((length(problem) >= 1) AND (length(problem) <= 20000))),
  CONSTRAINT erp_instance_problem_of_a_commit CHECK (((problem IS NOT NULL) OR (broken_sha IS NULL))),
  CONSTRAINT erp_instance_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  CONSTRAINT erp_instance_reason_code_check CHECK ((reason_code = ANY (ARRAY['insufficient_funds'::text, 'account_not_active'::text, 'spend_limit'::text]))),
  CONSTRAINT erp_instance_runs_once_ready CHECK (((state <> 'running'::text) OR (ready_at IS NOT NULL))),
  CONSTRAINT erp_instance_state_check CHECK ((state = ANY (ARRAY['starting'::text, 'running'::text, 'stopping'::text, 'failed'::text, 'ended'::text]))),
  CONSTRAINT erp_instance_uncounted_ms_check CHECK ((uncounted_ms >= 0)),
  CONSTRAINT erp_instance_url_check CHECK (((length(url) >= 1) AND (length(url) <= 500))),
  CONSTRAINT erp_instance_requested_by_user_id_fkey FOREIGN KEY (requested_by_user_id) REFERENCES app_user(id),
  CONSTRAINT erp_instance_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE
);
CREATE INDEX erp_instance_all_of_task ON public.erp_instance USING btree (task_id, created_at);
CREATE INDEX erp_instance_live ON public.erp_instance USING btree (lease_until, not_before) WHERE (state = ANY (ARRAY['starting'::text, 'running'::text, 'stopping'::text]));
CREATE UNIQUE INDEX erp_instance_of_task ON public.erp_instance USING btree (task_id) WHERE (state = ANY (ARRAY['starting'::text, 'running'::text, 'stopping'::text]));
CREATE INDEX erp_instance_requested_by ON public.erp_instance USING btree (requested_by_user_id);
CREATE INDEX erp_instance_uncleared ON public.erp_instance USING btree (not_before) WHERE ((state = 'failed'::text) AND (cleared_at IS NULL));
CREATE INDEX erp_instance_uncounted ON public.erp_instance USING btree (counted_until, id) WHERE ((counted_until IS NOT NULL) OR (uncounted_ms >= 1000));
CREATE TRIGGER erp_instance_changed AFTER UPDATE OF state ON public.erp_instance FOR EACH ROW WHEN ((old.state <> new.state)) EXECUTE FUNCTION note_odoo_instance();
CREATE TRIGGER erp_instance_made AFTER INSERT ON public.erp_instance FOR EACH ROW EXECUTE FUNCTION note_odoo_instance();
CREATE TRIGGER erp_instance_time BEFORE INSERT OR UPDATE OF state, lease_until ON public.erp_instance FOR EACH ROW EXECUTE FUNCTION count_erp_instance_time();
CREATE TRIGGER erp_instance_transition BEFORE UPDATE OF state ON public.erp_instance FOR EACH ROW EXECUTE FUNCTION check_erp_instance_transition();
COMMENT ON TABLE erp_instance IS 'A throwaway ERP system of a task, which a worker starts and keeps. At most one of a task is live.';
COMMENT ON COLUMN erp_instance.state IS 'starting and stopping are also what a person asks for, until a worker has done it. ended: nothing is left, and the row only tells of it.';
COMMENT ON COLUMN erp_instance.url IS 'Where people reach it; null if they cannot.';
COMMENT ON COLUMN erp_instance.owner IS 'The worker that keeps it, until lease_until; then any other.';
COMMENT ON COLUMN erp_instance.not_before IS 'When a worker may try again what has failed.';
COMMENT ON COLUMN erp_instance.attempt IS 'How often a worker has taken it since it last ran.';
COMMENT ON COLUMN erp_instance.expires_at IS 'When it ends, unless it is used before.';
COMMENT ON COLUMN erp_instance.cleared_at IS 'When nothing was left of one that has failed or ended.';
COMMENT ON COLUMN erp_instance.counted_until IS 'While it runs: the time of it until then is in usage, or in uncounted_ms.';
COMMENT ON COLUMN erp_instance.uncounted_ms IS 'Milliseconds in which it ran and that are not in usage yet.';
COMMENT ON COLUMN erp_instance.reason_code IS 'Which rule about money has ended it. It stays when what has failed is removed.';
COMMENT ON COLUMN erp_instance.renewed_at IS 'While it runs and its programs end with its worker: when that worker was last known to live. Its time is counted no further.';
COMMENT ON COLUMN erp_instance.offered_sha IS 'The commit of the branch that it was started with last; another one starts it again.';
COMMENT ON COLUMN erp_instance.commit_sha IS 'The commit whose modules it runs; null where it runs none of the repository.';
COMMENT ON COLUMN erp_instance.broken_sha IS 'The commit whose modules Odoo could not install or update; it then runs commit_sha.';
COMMENT ON COLUMN erp_instance.problem IS 'Why it does not run what was offered: the end of what Odoo has said, or a sentence.';
COMMENT ON COLUMN erp_instance.asked IS 'What a person has asked for that a worker has not done yet: it is started again, with its database or with a new one.';
COMMENT ON COLUMN erp_instance.entry_url IS 'Where a link signs people in; null if people sign in by themselves, or do not reach it.';
COMMENT ON COLUMN erp_instance.data IS 'What its database began with; null until it was ready, and where its program does not say.';

CREATE TABLE erp_instance_log (
  instance_id uuid NOT NULL,
  text text NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT erp_instance_log_pkey PRIMARY KEY (instance_id),
  CONSTRAINT erp_instance_log_text_check CHECK ((length(text) <= 66000)),
  CONSTRAINT erp_instance_log_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES erp_instance(id) ON DELETE CASCADE
);
COMMENT ON TABLE erp_instance_log IS 'The end of what the program of an ERP instance has printed, as its worker has read it last.';

CREATE TABLE erp_instance_mail (
  id uuid DEFAULT uuid_v7() NOT NULL,
  instance_id uuid NOT NULL,
  received_at timestamp with time zone DEFAULT now() NOT NULL,
  sender text NOT NULL,
  recipients text[] NOT NULL,
  subject text NOT NULL,
  text text NOT NULL,
  CONSTRAINT erp_instance_mail_pkey PRIMARY KEY (id),
  CONSTRAINT erp_instance_mail_recipients_check CHECK ((cardinality(recipients) <= 50)),
  CONSTRAINT erp_instance_mail_sender_check CHECK ((length(sender) <= 500)),
  CONSTRAINT erp_instance_mail_subject_check CHECK ((length(subject) <= 1000)),
  CONSTRAINT erp_instance_mail_text_check CHECK ((length(text) <= 16000)),
  CONSTRAINT erp_instance_mail_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES erp_instance(id) ON DELETE CASCADE
);
CREATE INDEX erp_instance_mail_of_instance ON public.erp_instance_mail USING btree (instance_id, id);
COMMENT ON TABLE erp_instance_mail IS 'A mail that an ERP instance wanted to send. Nobody gets it; the newest of an instance are kept.';

CREATE TABLE erp_instance_visit (
  id uuid DEFAULT uuid_v7() NOT NULL,
  instance_id uuid NOT NULL,
  user_id uuid NOT NULL,
  ticket_hash bytea NOT NULL,
  session_hash bytea,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  opened_at timestamp with time zone,
  CONSTRAINT erp_instance_visit_pkey PRIMARY KEY (id),
  CONSTRAINT erp_instance_visit_session_hash_key UNIQUE (session_hash),
  CONSTRAINT erp_instance_visit_ticket_hash_key UNIQUE (ticket_hash),
  CONSTRAINT erp_instance_visit_is_opened_completely CHECK (((session_hash IS NULL) = (opened_at IS NULL))),
  CONSTRAINT erp_instance_visit_session_hash_check CHECK ((length(session_hash) = 32)),
  CONSTRAINT erp_instance_visit_ticket_hash_check CHECK ((length(ticket_hash) = 32)),
  CONSTRAINT erp_instance_visit_instance_id_fkey FOREIGN KEY (instance_id) REFERENCES erp_instance(id) ON DELETE CASCADE,
  CONSTRAINT erp_instance_visit_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX erp_instance_visit_of_instance ON public.erp_instance_visit USING btree (instance_id, id);
CREATE INDEX erp_instance_visit_of_user ON public.erp_instance_visit USING btree (user_id);
COMMENT ON TABLE erp_instance_visit IS 'A link that lets a person into an ERP instance once, and then what their browser is known by there. It ends with the instance, and with what the person may do.';
COMMENT ON COLUMN erp_instance_visit.ticket_hash IS 'SHA-256 of what the link has.';
COMMENT ON COLUMN erp_instance_visit.session_hash IS 'SHA-256 of the cookie.';

CREATE TABLE file_removal (
  storage_key text COLLATE "C" NOT NULL,
  removed_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT file_removal_pkey PRIMARY KEY (storage_key)
);
COMMENT ON TABLE file_removal IS 'Bytes whose row is gone, written by the statement that deleted it. A row stays until the file store has deleted them.';

CREATE TABLE gitea_connection (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  organization_id uuid NOT NULL,
  url text NOT NULL,
  token bytea NOT NULL,
  token_key_id text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  account_id bigint,
  account_login text,
  account_asked_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  CONSTRAINT gitea_connection_pkey PRIMARY KEY (id),
  CONSTRAINT gitea_connection_once UNIQUE (organization_id, url),
  CONSTRAINT gitea_connection_account CHECK (((account_id IS NULL) = (account_login IS NULL))),
  CONSTRAINT gitea_connection_account_id_check CHECK ((account_id > 0)),
  CONSTRAINT gitea_connection_account_login_check CHECK (((length(account_login) >= 1) AND (length(account_login) <= 100))),
  CONSTRAINT gitea_connection_token_check CHECK (((octet_length(token) >= 32) AND (octet_length(token) <= 4096))),
  CONSTRAINT gitea_connection_token_key_id_check CHECK ((length(token_key_id) = 16)),
  CONSTRAINT gitea_connection_url_check CHECK ((((length(url) >= 8) AND (length(url) <= 500)) AND (url ~ '^https?://[^/[:space:]]'::text) AND (url !~ '/$'::text))),
  CONSTRAINT gitea_connection_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id) ON DELETE CASCADE
);
COMMENT ON TABLE gitea_connection IS 'A Gitea or Forgejo server whose repositories the projects of a workspace may use.';
COMMENT ON COLUMN gitea_connection.url IS 'Where it is, without a slash at the end.';
COMMENT ON COLUMN gitea_connection.token IS 'AES-256-GCM: the access token, bound to the row and the address.';
COMMENT ON COLUMN gitea_connection.token_key_id IS 'Which key of the servers opens it.';
COMMENT ON COLUMN gitea_connection.account_id IS 'Whose the token is there; null until the server has said, and while the token may not ask.';
COMMENT ON COLUMN gitea_connection.account_login IS 'What people mention, to be heard.';
COMMENT ON COLUMN gitea_connection.account_asked_at IS 'When the server was asked for both.';

CREATE TABLE gitea_webhook (
  repository_id uuid NOT NULL,
  host_hook_id bigint,
  secret bytea NOT NULL,
  secret_key_id text NOT NULL,
  not_before timestamp with time zone DEFAULT now() NOT NULL,
  last_error text,
  CONSTRAINT gitea_webhook_pkey PRIMARY KEY (repository_id),
  CONSTRAINT gitea_webhook_host_hook_id_check CHECK ((host_hook_id > 0)),
  CONSTRAINT gitea_webhook_last_error_check CHECK (((length(last_error) >= 1) AND (length(last_error) <= 500))),
  CONSTRAINT gitea_webhook_secret_check CHECK (((octet_length(secret) >= 32) AND (octet_length(secret) <= 4096))),
  CONSTRAINT gitea_webhook_secret_key_id_check CHECK ((length(secret_key_id) = 16)),
  CONSTRAINT gitea_webhook_repository_id_fkey FOREIGN KEY (repository_id) REFERENCES repository(id) ON DELETE CASCADE
);
CREATE INDEX gitea_webhook_due ON public.gitea_webhook USING btree (not_before) WHERE (host_hook_id IS NULL);
COMMENT ON TABLE gitea_webhook IS 'The webhook that this server has registered in a repository on Gitea. It only says that something may have changed.';
COMMENT ON COLUMN gitea_webhook.host_hook_id IS 'The id that Gitea gave it; null until it has.';
COMMENT ON COLUMN gitea_webhook.secret IS 'AES-256-GCM: signs what it sends; bound to the repository.';
COMMENT ON COLUMN gitea_webhook.secret_key_id IS 'Which key of the servers opens it.';
COMMENT ON COLUMN gitea_webhook.not_before IS 'When it is registered, or that is tried again.';

CREATE TABLE github_connection (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  installation_id bigint NOT NULL,
  organization_id uuid,
  user_id uuid,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT github_connection_pkey PRIMARY KEY (id),
  CONSTRAINT github_connection_of_one CHECK ((num_nonnulls(organization_id, user_id) = 1)),
  CONSTRAINT github_connection_installation_id_fkey FOREIGN KEY (installation_id) REFERENCES github_installation(id),
  CONSTRAINT github_connection_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id) ON DELETE CASCADE,
  CONSTRAINT github_connection_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX github_connection_installation ON public.github_connection USING btree (installation_id);
CREATE UNIQUE INDEX github_connection_of_user ON public.github_connection USING btree (user_id, installation_id);
CREATE UNIQUE INDEX github_connection_of_workspace ON public.github_connection USING btree (organization_id, installation_id);
COMMENT ON TABLE github_connection IS 'That a workspace, or a person for personal projects, may use an installation.';

CREATE TABLE github_delivery (
  id uuid NOT NULL,
  event text NOT NULL,
  action text,
  installation_id bigint,
  repository_id bigint,
  subject jsonb DEFAULT '{}'::jsonb NOT NULL,
  received_at timestamp with time zone DEFAULT now() NOT NULL,
  not_before timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  done_at timestamp with time zone,
  last_error text,
  CONSTRAINT github_delivery_pkey PRIMARY KEY (id),
  CONSTRAINT github_delivery_action_check CHECK (((length(action) >= 1) AND (length(action) <= 100))),
  CONSTRAINT github_delivery_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT github_delivery_event_check CHECK (((length(event) >= 1) AND (length(event) <= 100))),
  CONSTRAINT github_delivery_last_error_check CHECK (((length(last_error) >= 1) AND (length(last_error) <= 500)))
);
CREATE INDEX github_delivery_due ON public.github_delivery USING btree (not_before) WHERE (done_at IS NULL);
CREATE INDEX github_delivery_received ON public.github_delivery USING btree (received_at);
COMMENT ON TABLE github_delivery IS 'What a webhook of GitHub was about, so that a worker looks at it; not what it said.';
COMMENT ON COLUMN github_delivery.id IS 'The id that GitHub gave the delivery: it counts once.';
COMMENT ON COLUMN github_delivery.subject IS 'What the event names in the repository: numbers of pull requests, commits, branches.';

CREATE TABLE github_installation (
  id bigint NOT NULL,
  account_login text NOT NULL,
  account_type text NOT NULL,
  repository_selection text NOT NULL,
  permissions jsonb NOT NULL,
  suspended_at timestamp with time zone,
  deleted_at timestamp with time zone,
  looked_at timestamp with time zone DEFAULT now() NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT github_installation_pkey PRIMARY KEY (id),
  CONSTRAINT github_installation_account_login_check CHECK (((length(account_login) >= 1) AND (length(account_login) <= 100))),
  CONSTRAINT github_installation_account_type_check CHECK ((account_type = ANY (ARRAY['User'::text, 'Organization'::text, 'Enterprise'::text]))),
  CONSTRAINT github_installation_id_check CHECK ((id > 0)),
  CONSTRAINT github_installation_permissions_check CHECK ((jsonb_typeof(permissions) = 'object'::text)),
  CONSTRAINT github_installation_repository_selection_check CHECK ((repository_selection = ANY (ARRAY['all'::text, 'selected'::text])))
);
COMMENT ON TABLE github_installation IS 'Where the GitHub App is installed, as GitHub said when it was last looked at.';
COMMENT ON COLUMN github_installation.id IS 'The id that GitHub gave it.';
COMMENT ON COLUMN github_installation.permissions IS 'By name: read, write or admin.';

CREATE TABLE github_rate_limit (
  installation_id bigint NOT NULL,
  until timestamp with time zone NOT NULL,
  refusals integer DEFAULT 0 NOT NULL,
  refused_at timestamp with time zone,
  CONSTRAINT github_rate_limit_pkey PRIMARY KEY (installation_id),
  CONSTRAINT github_rate_limit_installation_id_check CHECK ((installation_id >= 0)),
  CONSTRAINT github_rate_limit_refusals_check CHECK ((refusals >= 0))
);
COMMENT ON TABLE github_rate_limit IS 'Until when GitHub may not be asked for an installation; 0 is the App itself.';
COMMENT ON COLUMN github_rate_limit.refusals IS 'How often in a row it has refused.';

CREATE TABLE github_review (
  id uuid DEFAULT uuid_v7() NOT NULL,
  task_id uuid NOT NULL,
  kind text NOT NULL,
  host_id bigint NOT NULL,
  author_login text NOT NULL,
  author_host_id bigint NOT NULL,
  verdict text,
  text text NOT NULL,
  comments jsonb DEFAULT '[]'::jsonb NOT NULL,
  state text DEFAULT 'found'::text NOT NULL,
  message_number integer,
  attempts integer DEFAULT 0 NOT NULL,
  not_before timestamp with time zone DEFAULT now() NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT github_review_pkey PRIMARY KEY (id),
  CONSTRAINT github_review_once UNIQUE (task_id, kind, host_id),
  CONSTRAINT github_review_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT github_review_author_host_id_check CHECK ((author_host_id > 0)),
  CONSTRAINT github_review_author_login_check CHECK (((length(author_login) >= 1) AND (length(author_login) <= 100))),
  CONSTRAINT github_review_comments_check CHECK ((jsonb_typeof(comments) = 'array'::text)),
  CONSTRAINT github_review_host_id_check CHECK ((host_id > 0)),
  CONSTRAINT github_review_kind_check CHECK ((kind = ANY (ARRAY['review'::text, 'comment'::text]))),
  CONSTRAINT github_review_message_number_check CHECK ((message_number > 0)),
  CONSTRAINT github_review_state_check CHECK ((state = ANY (ARRAY['found'::text, 'sent'::text, 'answered'::text, 'ignored'::text]))),
  CONSTRAINT github_review_text_check CHECK ((length(text) <= 20000)),
  CONSTRAINT github_review_verdict_check CHECK ((verdict = ANY (ARRAY['approved'::text, 'changes_requested'::text]))),
  CONSTRAINT github_review_of_message FOREIGN KEY (task_id, message_number) REFERENCES task_message(task_id, number) ON DELETE SET NULL (message_number),
  CONSTRAINT github_review_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE
);
CREATE INDEX github_review_due ON public.github_review USING btree (not_before) WHERE (state = ANY (ARRAY['found'::text, 'sent'::text]));
CREATE INDEX github_review_message ON public.github_review USING btree (task_id, message_number);
COMMENT ON TABLE github_review IS 'A review or a comment that mentions the App on GitHub, or the account of a connection on Gitea: it becomes a message of its task once, and is answered there once.';
COMMENT ON COLUMN github_review.host_id IS 'The id that the host of the pull request gave it.';
COMMENT ON COLUMN github_review.comments IS 'Comments on lines: path, line, the lines that GitHub shows with it, and text.';
COMMENT ON COLUMN github_review.state IS 'found: not sent to the agent yet. sent: to be answered when its turn has ended. ignored: its author or the task gave no right to it.';

CREATE TABLE hold (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  account_id uuid NOT NULL,
  amount bigint NOT NULL,
  captured bigint DEFAULT 0 NOT NULL,
  status text DEFAULT 'open'::text NOT NULL,
  idempotency_key text NOT NULL,
  reference_type text NOT NULL,
  reference_id uuid NOT NULL,
  transfer_key text GENERATED ALWAYS AS (
CASE
    WHEN (status = 'captured'::text) THEN (('hold:'::text || id) || ':capture'::text)
    ELSE NULL::text
END) STORED,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT hold_pkey PRIMARY KEY (id),
  CONSTRAINT hold_idempotency_key_key UNIQUE (idempotency_key),
  CONSTRAINT hold_amount_check CHECK ((amount > 0)),
  CONSTRAINT hold_captured_within_amount CHECK (
CASE
    WHEN (status = 'captured'::text) THEN ((captured >= 1) AND (captured <= amount))
    ELSE (captured = 0)
END),
  CONSTRAINT hold_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 200))),
  CONSTRAINT hold_open_has_no_end CHECK (((status = 'open'::text) = (ended_at IS NULL))),
  CONSTRAINT hold_reference_type_check CHECK (((length(reference_type) >= 1) AND (length(reference_type) <= 50))),
  CONSTRAINT hold_status_check CHECK ((status = ANY (ARRAY['open'::text, 'captured'::text, 'released'::text]))),
  CONSTRAINT hold_account_id_fkey FOREIGN KEY (account_id) REFERENCES billing_account(id),
  CONSTRAINT hold_transfer_key_fkey FOREIGN KEY (transfer_key) REFERENCES ledger_transfer(idempotency_key) DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX hold_open ON public.hold USING btree (account_id) WHERE (status = 'open'::text);
CREATE INDEX hold_open_for ON public.hold USING btree (reference_id) WHERE (status = 'open'::text);
CREATE TRIGGER hold_check BEFORE INSERT OR UPDATE ON public.hold FOR EACH ROW EXECUTE FUNCTION check_hold();
CREATE TRIGGER hold_lets_go AFTER UPDATE ON public.hold FOR EACH ROW EXECUTE FUNCTION hold_lets_go();
CREATE TRIGGER hold_no_delete BEFORE DELETE ON public.hold FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER hold_no_truncate BEFORE TRUNCATE ON public.hold FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER hold_reserves AFTER INSERT ON public.hold FOR EACH ROW EXECUTE FUNCTION hold_reserves();
COMMENT ON TABLE hold IS 'Part of a balance that is reserved, until it is captured or released.';
COMMENT ON COLUMN hold.captured IS 'Micro-USD that were charged when the hold was captured; the rest was released.';
COMMENT ON COLUMN hold.transfer_key IS 'The posting of a captured hold.';

CREATE TABLE hourly_work (
  name text NOT NULL,
  next_at timestamp with time zone NOT NULL,
  CONSTRAINT hourly_work_pkey PRIMARY KEY (name),
  CONSTRAINT hourly_work_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100)))
);
COMMENT ON TABLE hourly_work IS 'When work that one of many processes does every hour is due.';

CREATE TABLE idempotency_key (
  user_id uuid NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  claim uuid NOT NULL,
  claimed_at timestamp with time zone DEFAULT now() NOT NULL,
  status integer,
  headers jsonb,
  body text,
  brief_body text,
  CONSTRAINT idempotency_key_pkey PRIMARY KEY (user_id, key),
  CONSTRAINT idempotency_key_answer_is_complete CHECK ((num_nulls(status, headers, body) = ANY (ARRAY[0, 3]))),
  CONSTRAINT idempotency_key_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255))),
  CONSTRAINT idempotency_key_request_hash_check CHECK ((octet_length(request_hash) = 32)),
  CONSTRAINT idempotency_key_status_check CHECK (((status >= 200) AND (status <= 499))),
  CONSTRAINT idempotency_key_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX idempotency_key_age ON public.idempotency_key USING btree (claimed_at);
CREATE INDEX idempotency_key_brief ON public.idempotency_key USING btree (claimed_at) WHERE (brief_body IS NOT NULL);
COMMENT ON TABLE idempotency_key IS 'The first answer to a request with an Idempotency-Key (ruling 1.11). Status, headers and body are null while it runs.';
COMMENT ON COLUMN idempotency_key.request_hash IS 'SHA-256 of what was asked: another request with the same key is refused.';
COMMENT ON COLUMN idempotency_key.claim IS 'The process that answers; a claim that is too old may be taken over.';
COMMENT ON COLUMN idempotency_key.brief_body IS 'The whole answer, for ten minutes, where body lacks a secret that opens something for a while.';

CREATE TABLE identity (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  user_id uuid NOT NULL,
  provider text NOT NULL,
  issuer text NOT NULL,
  subject text NOT NULL,
  email text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp with time zone,
  user_kind text DEFAULT 'person'::text NOT NULL,
  CONSTRAINT identity_pkey PRIMARY KEY (id),
  CONSTRAINT identity_email_check CHECK (((length(email) >= 1) AND (length(email) <= 320))),
  CONSTRAINT identity_issuer_check CHECK (((length(issuer) >= 1) AND (length(issuer) <= 2000))),
  CONSTRAINT identity_provider_check CHECK ((provider ~ '^[a-z0-9-]{1,30}$'::text)),
  CONSTRAINT identity_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 500))),
  CONSTRAINT identity_user_kind_check CHECK ((user_kind = 'person'::text)),
  CONSTRAINT identity_of_person FOREIGN KEY (user_id, user_kind) REFERENCES app_user(id, kind),
  CONSTRAINT identity_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX identity_of_user ON public.identity USING btree (user_id, created_at);
CREATE UNIQUE INDEX identity_taken ON public.identity USING btree (issuer, subject);
CREATE TRIGGER identity_of_present_person BEFORE INSERT ON public.identity FOR EACH ROW EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER identity_stays BEFORE UPDATE OF id, user_id, provider, issuer, subject, created_at ON public.identity FOR EACH ROW EXECUTE FUNCTION keep_columns('id', 'user_id', 'provider', 'issuer', 'subject', 'created_at');
COMMENT ON TABLE identity IS 'An account elsewhere that signs a person in.';
COMMENT ON COLUMN identity.provider IS 'The id of the provider in addresses, when it was linked.';
COMMENT ON COLUMN identity.issuer IS 'Who vouches for the subject: another issuer under the same id is another provider.';
COMMENT ON COLUMN identity.subject IS 'What identifies the person there for ever.';
COMMENT ON COLUMN identity.email IS 'The address there, for people to recognise it; it opens nothing.';
COMMENT ON COLUMN identity.user_kind IS 'Constant: with user_id it refers to a person.';

CREATE TABLE inbox_mark (
  user_id uuid NOT NULL,
  task_id uuid NOT NULL,
  seen timestamp with time zone NOT NULL,
  snoozed_until timestamp with time zone,
  CONSTRAINT inbox_mark_pkey PRIMARY KEY (user_id, task_id),
  CONSTRAINT inbox_mark_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE,
  CONSTRAINT inbox_mark_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX inbox_mark_of_task ON public.inbox_mark USING btree (task_id);
COMMENT ON TABLE inbox_mark IS 'What a person has set aside of their inbox: the entries of a task.';
COMMENT ON COLUMN inbox_mark.seen IS 'Entries of the task up to this time are set aside; later ones are shown.';
COMMENT ON COLUMN inbox_mark.snoozed_until IS 'When they are shown again; null is not before something new happens.';

CREATE TABLE invitation (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  organization_id uuid,
  email text NOT NULL,
  role_id uuid NOT NULL,
  scope text DEFAULT 'workspace'::text NOT NULL,
  assignable boolean DEFAULT true NOT NULL,
  status text DEFAULT 'pending'::text NOT NULL,
  generation integer DEFAULT 1 NOT NULL,
  invited_by_user_id uuid,
  invited_by_name text DEFAULT ''::text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone DEFAULT (now() + '7 days'::interval) NOT NULL,
  project_id uuid,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT invitation_pkey PRIMARY KEY (id),
  CONSTRAINT invitation_assignable_check CHECK (assignable),
  CONSTRAINT invitation_email_check CHECK (((email = btrim(email)) AND (POSITION(('@'::text) IN (email)) > 1) AND (length(email) <= 320))),
  CONSTRAINT invitation_generation_check CHECK ((generation > 0)),
  CONSTRAINT invitation_is_to_one_thing CHECK (
CASE scope
    WHEN 'workspace'::text THEN ((organization_id IS NOT NULL) AND (project_id IS NULL))
    WHEN 'project'::text THEN ((project_id IS NOT NULL) AND (organization_id IS NULL))
    ELSE false
END),
  CONSTRAINT invitation_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'declined'::text, 'revoked'::text]))),
  CONSTRAINT service_account_invited CHECK ((lower(email) !~~ '%@service.invalid'::text)),
  CONSTRAINT invitation_invited_by_user_id_fkey FOREIGN KEY (invited_by_user_id) REFERENCES app_user(id),
  CONSTRAINT invitation_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT invitation_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE,
  CONSTRAINT invitation_role_id_scope_assignable_fkey FOREIGN KEY (role_id, scope, assignable) REFERENCES role(id, scope, assignable)
);
CREATE INDEX invitation_closed ON public.invitation USING btree (updated_at) WHERE (status <> 'pending'::text);
CREATE INDEX invitation_invited_by ON public.invitation USING btree (invited_by_user_id);
CREATE INDEX invitation_newest ON public.invitation USING btree (organization_id, created_at DESC, id DESC) WHERE (status = 'pending'::text);
CREATE INDEX invitation_of_mailbox ON public.invitation USING btree (mailbox(email), created_at DESC, id DESC) WHERE (status = 'pending'::text);
CREATE INDEX invitation_of_project ON public.invitation USING btree (project_id, created_at DESC, id DESC) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX invitation_open_mailbox ON public.invitation USING btree (organization_id, mailbox(email)) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX invitation_open_mailbox_of_project ON public.invitation USING btree (project_id, mailbox(email)) WHERE (status = 'pending'::text);
CREATE INDEX invitation_organization ON public.invitation USING btree (organization_id);
CREATE INDEX invitation_project ON public.invitation USING btree (project_id);
CREATE INDEX invitation_role ON public.invitation USING btree (role_id);
CREATE TRIGGER invitation_created_for_webhooks AFTER INSERT ON public.invitation FOR EACH ROW EXECUTE FUNCTION webhook_on_invitation();
CREATE TRIGGER invitation_role_belongs BEFORE INSERT OR UPDATE OF role_id ON public.invitation FOR EACH ROW EXECUTE FUNCTION check_role_belongs();
COMMENT ON TABLE invitation IS 'An offer of membership in a workspace, or of a role on a project. One may be pending per address and workspace or project.';
COMMENT ON COLUMN invitation.scope IS '`workspace` or `project`; with role_id it refers to a role of that kind.';
COMMENT ON COLUMN invitation.assignable IS 'Constant: with role_id it refers to a role that can be assigned.';
COMMENT ON COLUMN invitation.generation IS 'Part of what the link is derived from; no token is stored. A higher number makes earlier links invalid.';
COMMENT ON COLUMN invitation.invited_by_name IS 'The name at that time.';

CREATE TABLE invitation_team (
  invitation_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  team_id uuid NOT NULL,
  CONSTRAINT invitation_team_pkey PRIMARY KEY (invitation_id, team_id),
  CONSTRAINT invitation_team_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES invitation(id) ON DELETE CASCADE,
  CONSTRAINT invitation_team_of_team FOREIGN KEY (team_id, organization_id) REFERENCES team(id, organization_id) ON DELETE CASCADE
);
CREATE INDEX invitation_team_team ON public.invitation_team USING btree (team_id, organization_id);
COMMENT ON TABLE invitation_team IS 'The teams that whoever accepts an invitation joins.';

CREATE TABLE invoice (
  id uuid DEFAULT uuid_v7() NOT NULL,
  kind text NOT NULL,
  number text NOT NULL,
  prefix text NOT NULL,
  year integer NOT NULL,
  sequence bigint NOT NULL,
  issued_at timestamp with time zone NOT NULL,
  account_id uuid NOT NULL,
  top_up_id uuid NOT NULL,
  transfer_key text NOT NULL,
  charged_at timestamp with time zone NOT NULL,
  total bigint NOT NULL,
  tax bigint NOT NULL,
  tax_rate numeric(6,3) NOT NULL,
  tax_name text NOT NULL,
  tax_note text,
  customer_name text NOT NULL,
  customer_address text[] NOT NULL,
  customer_country text,
  customer_tax_id text,
  customer_email text,
  issuer_name text NOT NULL,
  issuer_address text[] NOT NULL,
  issuer_country text,
  issuer_tax_id text,
  card_brand text NOT NULL,
  card_last4 text NOT NULL,
  processor text NOT NULL,
  CONSTRAINT invoice_pkey PRIMARY KEY (id),
  CONSTRAINT invoice_number_in_series UNIQUE (prefix, year, sequence),
  CONSTRAINT invoice_number_key UNIQUE (number),
  CONSTRAINT invoice_transfer_key_key UNIQUE (transfer_key),
  CONSTRAINT invoice_kind_check CHECK ((kind = ANY (ARRAY['invoice'::text, 'credit_note'::text, 'debit_note'::text]))),
  CONSTRAINT invoice_sequence_check CHECK ((sequence > 0)),
  CONSTRAINT invoice_tax_check CHECK ((tax >= 0)),
  CONSTRAINT invoice_tax_rate_check CHECK ((tax_rate >= (0)::numeric)),
  CONSTRAINT invoice_tax_within_total CHECK ((tax <= total)),
  CONSTRAINT invoice_total_check CHECK ((total > 0)),
  CONSTRAINT invoice_year_of_issue CHECK (((year)::numeric = EXTRACT(year FROM (issued_at AT TIME ZONE 'UTC'::text)))),
  CONSTRAINT invoice_account_id_fkey FOREIGN KEY (account_id) REFERENCES billing_account(id),
  CONSTRAINT invoice_top_up_id_fkey FOREIGN KEY (top_up_id) REFERENCES top_up(id),
  CONSTRAINT invoice_transfer_key_fkey FOREIGN KEY (transfer_key) REFERENCES ledger_transfer(idempotency_key)
);
CREATE INDEX invoice_of_account ON public.invoice USING btree (account_id, issued_at, id);
CREATE INDEX invoice_of_top_up ON public.invoice USING btree (top_up_id);
CREATE UNIQUE INDEX invoice_once_a_top_up ON public.invoice USING btree (top_up_id) WHERE (kind = 'invoice'::text);
CREATE TRIGGER invoice_gets_number BEFORE INSERT ON public.invoice FOR EACH ROW EXECUTE FUNCTION number_invoice();
CREATE TRIGGER invoice_insert_only BEFORE DELETE OR UPDATE ON public.invoice FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_no_truncate BEFORE TRUNCATE ON public.invoice FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
COMMENT ON TABLE invoice IS 'Invoices of top-ups, credit notes of refunds, and debit notes of refunds that failed later. Insert-only; all that is printed is a copy.';
COMMENT ON COLUMN invoice.account_id IS 'The account that the posting moved.';
COMMENT ON COLUMN invoice.total IS 'Micro-USD, with tax.';
COMMENT ON COLUMN invoice.tax IS 'Micro-USD, in whole cents.';

CREATE TABLE invoice_counter (
  prefix text NOT NULL,
  year integer NOT NULL,
  last bigint DEFAULT 0 NOT NULL,
  CONSTRAINT invoice_counter_pkey PRIMARY KEY (prefix, year),
  CONSTRAINT invoice_counter_last_check CHECK ((last >= 0))
);
COMMENT ON TABLE invoice_counter IS 'The last number of each series. Only the trigger that numbers invoices writes.';

CREATE TABLE invoice_due (
  transfer_key text NOT NULL,
  top_up_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  mails_receipt boolean DEFAULT true NOT NULL,
  CONSTRAINT invoice_due_pkey PRIMARY KEY (transfer_key),
  CONSTRAINT invoice_due_transfer_key_fkey FOREIGN KEY (transfer_key) REFERENCES ledger_transfer(idempotency_key)
);
CREATE INDEX invoice_due_of_top_up ON public.invoice_due USING btree (top_up_id);
COMMENT ON TABLE invoice_due IS 'Postings that need an invoice or a note and have none yet. Empty, but for what an earlier release posted.';
COMMENT ON COLUMN invoice_due.mails_receipt IS 'Whether its document may be mailed; false for what was posted before receipts existed.';

CREATE TABLE invoice_issuer (
  id uuid DEFAULT uuid_v7() NOT NULL,
  name text NOT NULL,
  address text[] DEFAULT '{}'::text[] NOT NULL,
  country text,
  tax_id text,
  prefix text NOT NULL,
  tax_name text NOT NULL,
  tax_rates jsonb DEFAULT '{}'::jsonb NOT NULL,
  reverse_charge_note text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT invoice_issuer_pkey PRIMARY KEY (id),
  CONSTRAINT invoice_issuer_address_check CHECK ((cardinality(address) <= 6)),
  CONSTRAINT invoice_issuer_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  CONSTRAINT invoice_issuer_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CONSTRAINT invoice_issuer_prefix_check CHECK ((prefix ~ '^([A-Z0-9/-]{0,19}[A-Z/-])?$'::text)),
  CONSTRAINT invoice_issuer_reverse_charge_note_check CHECK (((length(reverse_charge_note) >= 1) AND (length(reverse_charge_note) <= 300))),
  CONSTRAINT invoice_issuer_tax_id_check CHECK (((length(tax_id) >= 1) AND (length(tax_id) <= 50))),
  CONSTRAINT invoice_issuer_tax_name_check CHECK (((length(tax_name) >= 1) AND (length(tax_name) <= 50)))
);
CREATE TRIGGER invoice_issuer_insert_only BEFORE DELETE OR UPDATE ON public.invoice_issuer FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_issuer_no_truncate BEFORE TRUNCATE ON public.invoice_issuer FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
COMMENT ON TABLE invoice_issuer IS 'Who issues invoices, and the taxes: the operator''s settings as a server read them. The newest row counts.';
COMMENT ON COLUMN invoice_issuer.tax_rates IS 'In percent, by the country of the customer; * is every other one.';

CREATE TABLE last_ledger_audit (
  only_one boolean DEFAULT true NOT NULL,
  audited_at timestamp with time zone NOT NULL,
  violations integer NOT NULL,
  top_ups jsonb NOT NULL,
  CONSTRAINT last_ledger_audit_pkey PRIMARY KEY (only_one),
  CONSTRAINT last_ledger_audit_only_one_check CHECK (only_one),
  CONSTRAINT last_ledger_audit_violations_check CHECK ((violations >= 0))
);
COMMENT ON TABLE last_ledger_audit IS 'The result of the last hourly audit; no row before the first one.';
COMMENT ON COLUMN last_ledger_audit.top_ups IS 'How many top-ups there were, by status.';

CREATE TABLE ledger_transfer (
  id uuid DEFAULT uuid_v7() NOT NULL,
  idempotency_key text NOT NULL,
  kind text NOT NULL,
  debit_account_id uuid NOT NULL,
  credit_account_id uuid NOT NULL,
  amount bigint NOT NULL,
  account_id uuid NOT NULL,
  version bigint NOT NULL,
  previous_version bigint GENERATED ALWAYS AS (NULLIF((version - 1), 0)) STORED,
  previous_balance bigint NOT NULL,
  balance bigint NOT NULL,
  reference_type text NOT NULL,
  reference_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT ledger_transfer_pkey PRIMARY KEY (id),
  CONSTRAINT ledger_transfer_account_id_version_balance_key UNIQUE (account_id, version, balance),
  CONSTRAINT ledger_transfer_account_id_version_key UNIQUE (account_id, version),
  CONSTRAINT ledger_transfer_idempotency_key_key UNIQUE (idempotency_key),
  CONSTRAINT ledger_transfer_account_is_debit_or_credit CHECK (((account_id = debit_account_id) OR (account_id = credit_account_id))),
  CONSTRAINT ledger_transfer_amount_check CHECK ((amount > 0)),
  CONSTRAINT ledger_transfer_balance_adds_up CHECK ((balance = (previous_balance +
CASE
    WHEN (account_id = credit_account_id) THEN amount
    ELSE (- amount)
END))),
  CONSTRAINT ledger_transfer_between_two_accounts CHECK ((debit_account_id <> credit_account_id)),
  CONSTRAINT ledger_transfer_first_starts_at_zero CHECK (((version > 1) OR (previous_balance = 0))),
  CONSTRAINT ledger_transfer_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 200))),
  CONSTRAINT ledger_transfer_kind_check CHECK ((kind = ANY (ARRAY['top_up'::text, 'promotion'::text, 'grant'::text, 'balance_transfer'::text, 'refund'::text, 'refund_reversal'::text, 'dispute'::text, 'dispute_reversal'::text, 'usage'::text, 'write_off'::text, 'void'::text]))),
  CONSTRAINT ledger_transfer_one_customer CHECK ((((debit_account_id >= '00000000-0000-4000-9000-000000000000'::uuid) AND (debit_account_id <= '00000000-0000-4000-9000-ffffffffffff'::uuid)) <> ((credit_account_id >= '00000000-0000-4000-9000-000000000000'::uuid) AND (credit_account_id <= '00000000-0000-4000-9000-ffffffffffff'::uuid)))),
  CONSTRAINT ledger_transfer_reference_type_check CHECK (((length(reference_type) >= 1) AND (length(reference_type) <= 50))),
  CONSTRAINT ledger_transfer_version_check CHECK ((version > 0)),
  CONSTRAINT ledger_transfer_credit_account_id_fkey FOREIGN KEY (credit_account_id) REFERENCES billing_account(id),
  CONSTRAINT ledger_transfer_debit_account_id_fkey FOREIGN KEY (debit_account_id) REFERENCES billing_account(id),
  CONSTRAINT ledger_transfer_follows_the_previous FOREIGN KEY (account_id, previous_version, previous_balance) REFERENCES ledger_transfer(account_id, version, balance)
);
CREATE INDEX ledger_transfer_credit ON public.ledger_transfer USING btree (credit_account_id);
CREATE INDEX ledger_transfer_debit ON public.ledger_transfer USING btree (debit_account_id);
CREATE INDEX ledger_transfer_kind ON public.ledger_transfer USING btree (account_id, kind, version);
CREATE INDEX ledger_transfer_reference ON public.ledger_transfer USING btree (reference_id);
CREATE INDEX ledger_transfer_time ON public.ledger_transfer USING btree (account_id, created_at);
CREATE INDEX ledger_transfer_top_up ON public.ledger_transfer USING btree (account_id, created_at) WHERE (kind = 'top_up'::text);
CREATE TRIGGER ledger_transfer_insert_only BEFORE DELETE OR UPDATE ON public.ledger_transfer FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_transfer_needs_invoice AFTER INSERT ON public.ledger_transfer FOR EACH ROW WHEN ((new.kind = ANY (ARRAY['top_up'::text, 'refund'::text, 'refund_reversal'::text]))) EXECUTE FUNCTION note_invoice_due();
CREATE TRIGGER ledger_transfer_no_truncate BEFORE TRUNCATE ON public.ledger_transfer FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_transfer_posts BEFORE INSERT ON public.ledger_transfer FOR EACH ROW EXECUTE FUNCTION post_to_account();
COMMENT ON TABLE ledger_transfer IS 'The ledger: one debit and one credit in each row, between one customer and one system account. Insert-only.';
COMMENT ON COLUMN ledger_transfer.account_id IS 'The customer''s account, which is the debit or the credit side.';
COMMENT ON COLUMN ledger_transfer.version IS 'Numbers the rows of the account without a gap.';
COMMENT ON COLUMN ledger_transfer.balance IS 'Micro-USD: the balance of the account after this row.';
COMMENT ON COLUMN ledger_transfer.reference_id IS 'What the posting is for; reference_type says in which table.';

CREATE TABLE mail (
  id uuid DEFAULT uuid_v7() NOT NULL,
  kind text NOT NULL,
  recipient text NOT NULL,
  subject_id uuid NOT NULL,
  generation integer DEFAULT 1 NOT NULL,
  status text DEFAULT 'queued'::text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp with time zone DEFAULT now(),
  last_error text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT mail_pkey PRIMARY KEY (id),
  CONSTRAINT mail_once UNIQUE (kind, subject_id, generation),
  CONSTRAINT mail_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT mail_kind_check CHECK ((kind = ANY (ARRAY['workspace_invitation'::text, 'project_invitation'::text, 'sign_in_link'::text, 'security_notice'::text, 'spend_limit'::text, 'receipt'::text, 'billing_notice'::text, 'odoo_expiry'::text, 'webhook_off'::text, 'task_notification'::text, 'routine_paused'::text]))),
  CONSTRAINT mail_queued_has_no_end CHECK (((status = 'queued'::text) = (ended_at IS NULL))),
  CONSTRAINT mail_queued_is_due CHECK (((status = 'queued'::text) = (next_attempt_at IS NOT NULL))),
  CONSTRAINT mail_recipient_check CHECK (((recipient = btrim(recipient)) AND (POSITION(('@'::text) IN (recipient)) > 1) AND (length(recipient) <= 320))),
  CONSTRAINT mail_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sent'::text, 'dead'::text, 'obsolete'::text])))
);
CREATE INDEX mail_dead ON public.mail USING btree (created_at DESC, id DESC) WHERE (status = 'dead'::text);
CREATE INDEX mail_due ON public.mail USING btree (next_attempt_at) WHERE (status = 'queued'::text);
CREATE INDEX mail_ended ON public.mail USING btree (ended_at) WHERE (status = ANY (ARRAY['sent'::text, 'obsolete'::text]));
CREATE INDEX mail_newest ON public.mail USING btree (created_at DESC, id DESC);
CREATE TRIGGER mail_not_to_service_accounts BEFORE INSERT ON public.mail FOR EACH ROW WHEN ((new.recipient ~~ '%@service.invalid'::text)) EXECUTE FUNCTION drop_service_mail();
COMMENT ON TABLE mail IS 'Mail to send after the commit that caused it. The text is made when it is sent, from what subject_id refers to, so no link is stored.';
COMMENT ON COLUMN mail.subject_id IS 'What the mail is about: the invitation, the link, the audit row of the change, the warning, the invoice or note, or the notice.';
COMMENT ON COLUMN mail.generation IS 'That of the invitation: mail of an earlier one is obsolete.';
COMMENT ON COLUMN mail.status IS '`dead`: given up after the last attempt; an operator may send it again.';

CREATE TABLE membership (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role_id uuid NOT NULL,
  scope text DEFAULT 'workspace'::text NOT NULL,
  assignable boolean DEFAULT true NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  user_kind text DEFAULT 'person'::text NOT NULL,
  service_of uuid,
  CONSTRAINT membership_pkey PRIMARY KEY (organization_id, user_id),
  CONSTRAINT membership_assignable_check CHECK (assignable),
  CONSTRAINT membership_kind_has_workspace CHECK (((user_kind = 'service'::text) = (service_of IS NOT NULL))),
  CONSTRAINT membership_of_own_workspace CHECK ((service_of = organization_id)),
  CONSTRAINT membership_scope_check CHECK ((scope = 'workspace'::text)),
  CONSTRAINT membership_of_kind FOREIGN KEY (user_id, user_kind) REFERENCES app_user(id, kind),
  CONSTRAINT membership_of_service FOREIGN KEY (user_id, service_of) REFERENCES app_user(id, service_of),
  CONSTRAINT membership_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT membership_role_id_scope_assignable_fkey FOREIGN KEY (role_id, scope, assignable) REFERENCES role(id, scope, assignable),
  CONSTRAINT membership_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX membership_of_user ON public.membership USING btree (user_id, organization_id);
CREATE INDEX membership_role ON public.membership USING btree (role_id);
CREATE TRIGGER member_added_for_webhooks AFTER INSERT ON public.membership FOR EACH ROW EXECUTE FUNCTION webhook_on_member();
CREATE TRIGGER member_removed_for_webhooks AFTER DELETE ON public.membership FOR EACH ROW EXECUTE FUNCTION webhook_on_member();
CREATE TRIGGER membership_checks_auto_reload AFTER DELETE OR UPDATE OF role_id ON public.membership FOR EACH ROW EXECUTE FUNCTION check_auto_reload();
CREATE TRIGGER membership_ends_card_shares AFTER UPDATE OF role_id ON public.membership FOR EACH ROW EXECUTE FUNCTION end_card_shares();
CREATE TRIGGER membership_ends_overrides AFTER DELETE ON public.membership FOR EACH ROW EXECUTE FUNCTION end_overrides();
CREATE TRIGGER membership_ends_service_account AFTER DELETE ON public.membership FOR EACH ROW WHEN ((old.user_kind = 'service'::text)) EXECUTE FUNCTION end_service_account();
CREATE TRIGGER membership_notes_revocation AFTER DELETE ON public.membership FOR EACH ROW EXECUTE FUNCTION note_revocation('user_id');
CREATE TRIGGER membership_of_present_person BEFORE INSERT ON public.membership FOR EACH ROW EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER membership_role_belongs BEFORE INSERT OR UPDATE OF role_id ON public.membership FOR EACH ROW EXECUTE FUNCTION check_role_belongs();
COMMENT ON TABLE membership IS 'Who belongs to a workspace, with which role.';
COMMENT ON COLUMN membership.scope IS 'Constant: with role_id it refers to a role of a workspace.';
COMMENT ON COLUMN membership.assignable IS 'Constant: with role_id it refers to a role that can be assigned.';
COMMENT ON COLUMN membership.user_kind IS 'That of the user.';
COMMENT ON COLUMN membership.service_of IS 'The workspace, if the user is a service account of it.';

CREATE TABLE merge (
  id uuid DEFAULT uuid_v7() NOT NULL,
  task_id uuid NOT NULL,
  branch text NOT NULL,
  stage text NOT NULL,
  method text NOT NULL,
  expected_head_sha text NOT NULL,
  forced boolean DEFAULT false NOT NULL,
  state text DEFAULT 'queued'::text NOT NULL,
  not_before timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  failure_code text,
  failure_message text,
  merge_commit_sha text,
  requested_by_user_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  ended_at timestamp with time zone,
  looked_at timestamp with time zone,
  CONSTRAINT merge_pkey PRIMARY KEY (id),
  CONSTRAINT merge_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT merge_branch_check CHECK (is_branch_name(branch)),
  CONSTRAINT merge_expected_head_sha_check CHECK ((expected_head_sha ~ '^[0-9a-f]{40}$'::text)),
  CONSTRAINT merge_failure_code_check CHECK (((length(failure_code) >= 1) AND (length(failure_code) <= 100))),
  CONSTRAINT merge_failure_message_check CHECK (((length(failure_message) >= 1) AND (length(failure_message) <= 1000))),
  CONSTRAINT merge_merge_commit_sha_check CHECK ((merge_commit_sha ~ '^[0-9a-f]{40}$'::text)),
  CONSTRAINT merge_method_check CHECK ((method = ANY (ARRAY['merge'::text, 'squash'::text]))),
  CONSTRAINT merge_outcome CHECK ((((state = 'queued'::text) = (ended_at IS NULL)) AND ((state = 'merged'::text) = (merge_commit_sha IS NOT NULL)) AND ((state = 'failed'::text) = ((failure_code IS NOT NULL) AND (failure_message IS NOT NULL))))),
  CONSTRAINT merge_stage_check CHECK ((stage = ANY (ARRAY['staging'::text, 'production'::text]))),
  CONSTRAINT merge_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'merged'::text, 'failed'::text]))),
  CONSTRAINT merge_requested_by_user_id_fkey FOREIGN KEY (requested_by_user_id) REFERENCES app_user(id),
  CONSTRAINT merge_task_id_fkey FOREIGN KEY (task_id) REFERENCES pull_request(task_id) ON DELETE CASCADE
);
CREATE INDEX merge_due ON public.merge USING btree (not_before) WHERE (state = 'queued'::text);
CREATE INDEX merge_history ON public.merge USING btree (task_id, created_at);
CREATE INDEX merge_of_commit ON public.merge USING btree (merge_commit_sha) WHERE (state = 'merged'::text);
CREATE UNIQUE INDEX merge_of_task ON public.merge USING btree (task_id) WHERE (state <> 'failed'::text);
CREATE INDEX merge_requested_by ON public.merge USING btree (requested_by_user_id);
CREATE INDEX merge_to_look_at ON public.merge USING btree (ended_at) WHERE (state = 'merged'::text);
CREATE TRIGGER found_merged_for_webhooks AFTER INSERT ON public.merge FOR EACH ROW WHEN ((new.state = 'merged'::text)) EXECUTE FUNCTION webhook_on_merge();
CREATE TRIGGER merge_asked AFTER INSERT ON public.merge FOR EACH ROW EXECUTE FUNCTION note_merge();
CREATE TRIGGER merge_ended AFTER UPDATE OF state ON public.merge FOR EACH ROW WHEN ((old.state <> new.state)) EXECUTE FUNCTION note_merge();
CREATE TRIGGER merged_for_webhooks AFTER UPDATE OF state ON public.merge FOR EACH ROW WHEN (((old.state <> new.state) AND (new.state = 'merged'::text))) EXECUTE FUNCTION webhook_on_merge();
COMMENT ON TABLE merge IS 'A request to merge a task, and what came of it. A worker carries it out.';
COMMENT ON COLUMN merge.not_before IS 'When a worker may carry it out: a while later once one has begun, in case it dies.';
COMMENT ON COLUMN merge.looked_at IS 'When GitHub was last asked how the merge commit is deployed; null when it is to be asked now, and for the local host.';

CREATE TABLE merge_target (
  project_id uuid NOT NULL,
  branch text NOT NULL,
  stage text NOT NULL,
  CONSTRAINT merge_target_pkey PRIMARY KEY (project_id, branch),
  CONSTRAINT merge_target_branch_check CHECK (is_branch_name(branch)),
  CONSTRAINT merge_target_chosen CHECK (is_chosen_branch(branch)),
  CONSTRAINT merge_target_not_of_task CHECK ((branch !~~ 'task/%'::text)),
  CONSTRAINT merge_target_stage_check CHECK ((stage = ANY (ARRAY['staging'::text, 'production'::text]))),
  CONSTRAINT merge_target_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE
);
COMMENT ON TABLE merge_target IS 'A branch that tasks of the project may be merged into, and whose right that takes.';

CREATE TABLE notification (
  id uuid DEFAULT uuid_v7() NOT NULL,
  user_id uuid NOT NULL,
  task_id uuid NOT NULL,
  type text NOT NULL,
  data jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  thread_id uuid,
  mail_id uuid,
  CONSTRAINT notification_pkey PRIMARY KEY (id),
  CONSTRAINT notification_type_check CHECK (((length(type) >= 1) AND (length(type) <= 50))),
  CONSTRAINT notification_mail_id_fkey FOREIGN KEY (mail_id) REFERENCES notification_mail(id) ON DELETE CASCADE,
  CONSTRAINT notification_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE,
  CONSTRAINT notification_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES notification_thread(id) ON DELETE SET NULL,
  CONSTRAINT notification_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX notification_by_thread ON public.notification USING btree (thread_id);
CREATE INDEX notification_of_mail ON public.notification USING btree (mail_id);
CREATE INDEX notification_of_task ON public.notification USING btree (task_id);
CREATE INDEX notification_of_thread ON public.notification USING btree (thread_id) WHERE (mail_id IS NULL);
CREATE INDEX notification_of_user ON public.notification USING btree (user_id);
CREATE INDEX notification_old ON public.notification USING btree (created_at);
COMMENT ON TABLE notification IS 'What one person is told: something that has happened to a task.';
COMMENT ON COLUMN notification.thread_id IS 'With which others it is mailed; null if it is not.';
COMMENT ON COLUMN notification.mail_id IS 'The mail that tells it; null before it is made.';

CREATE TABLE notification_event (
  id uuid DEFAULT uuid_v7() NOT NULL,
  noted_at timestamp with time zone NOT NULL,
  type text NOT NULL,
  project_id uuid NOT NULL,
  task_id uuid NOT NULL,
  data jsonb NOT NULL,
  CONSTRAINT notification_event_pkey PRIMARY KEY (id),
  CONSTRAINT notification_event_type_check CHECK (((length(type) >= 1) AND (length(type) <= 50)))
);
CREATE INDEX notification_event_in_order ON public.notification_event USING btree (noted_at, id);
COMMENT ON TABLE notification_event IS 'The outbox of notifications: what has happened to a task. A server makes a notification of it for each person and deletes it.';

CREATE TABLE notification_mail (
  id uuid DEFAULT uuid_v7() NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT notification_mail_pkey PRIMARY KEY (id),
  CONSTRAINT notification_mail_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX notification_mail_of_user ON public.notification_mail USING btree (user_id);
CREATE INDEX notification_mail_old ON public.notification_mail USING btree (created_at);
COMMENT ON TABLE notification_mail IS 'One mail about what its notifications tell: the subject of the mail in the outbox.';

CREATE TABLE notification_setting (
  user_id uuid NOT NULL,
  mail text DEFAULT 'at_once'::text NOT NULL,
  push boolean DEFAULT true NOT NULL,
  events_off text[] DEFAULT '{}'::text[] NOT NULL,
  quiet_from time without time zone,
  quiet_until time without time zone,
  daily_at time without time zone DEFAULT '08:00:00'::time without time zone NOT NULL,
  time_zone text DEFAULT 'UTC'::text NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT notification_setting_pkey PRIMARY KEY (user_id),
  CONSTRAINT notification_setting_events_off_check CHECK (((cardinality(events_off) <= 50) AND (array_position(events_off, NULL::text) IS NULL))),
  CONSTRAINT notification_setting_mail_check CHECK ((mail = ANY (ARRAY['at_once'::text, 'daily'::text, 'off'::text]))),
  CONSTRAINT notification_setting_quiet_hours CHECK ((((quiet_from IS NULL) = (quiet_until IS NULL)) AND (quiet_from <> quiet_until))),
  CONSTRAINT notification_setting_time_zone_check CHECK (((length(time_zone) >= 1) AND (length(time_zone) <= 100))),
  CONSTRAINT notification_setting_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
COMMENT ON TABLE notification_setting IS 'How a person wants to be told of tasks; without a row, by the defaults of its columns.';
COMMENT ON COLUMN notification_setting.events_off IS 'Kinds of events that they are not told of.';
COMMENT ON COLUMN notification_setting.quiet_from IS 'From then on, what happens waits until `quiet_until`.';
COMMENT ON COLUMN notification_setting.daily_at IS 'When the mail of the day is sent, if `mail` is daily.';
COMMENT ON COLUMN notification_setting.time_zone IS 'A name of the IANA database, which these times are in.';

CREATE TABLE notification_thread (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  user_id uuid NOT NULL,
  task_id uuid,
  due_at timestamp with time zone,
  mailed_at timestamp with time zone,
  CONSTRAINT notification_thread_pkey PRIMARY KEY (id),
  CONSTRAINT notification_thread_once UNIQUE NULLS NOT DISTINCT (user_id, task_id),
  CONSTRAINT notification_thread_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE,
  CONSTRAINT notification_thread_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX notification_thread_due ON public.notification_thread USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX notification_thread_of_task ON public.notification_thread USING btree (task_id);
CREATE INDEX notification_thread_old ON public.notification_thread USING btree (mailed_at) WHERE (due_at IS NULL);
COMMENT ON TABLE notification_thread IS 'When a person gets the next mail about a task; without a task, the mail of the day about all of them.';
COMMENT ON COLUMN notification_thread.mailed_at IS 'When the last one was made: the next one follows five minutes later at the earliest.';

CREATE TABLE oauth_client (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  name text NOT NULL,
  redirect_uris text[] NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT oauth_client_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_client_name_check CHECK ((((length(name) >= 1) AND (length(name) <= 100)) AND is_name(name))),
  CONSTRAINT oauth_client_redirect_uris_check CHECK (((cardinality(redirect_uris) >= 1) AND (cardinality(redirect_uris) <= 5)))
);
CREATE INDEX oauth_client_created ON public.oauth_client USING btree (created_at);
CREATE TRIGGER oauth_client_stays BEFORE UPDATE ON public.oauth_client FOR EACH ROW EXECUTE FUNCTION keep_columns('id', 'name', 'redirect_uris', 'created_at');
COMMENT ON TABLE oauth_client IS 'A program that has registered itself to be connected (RFC 7591). It has no secret; nobody has checked what it says of itself.';

CREATE TABLE oauth_connection (
  key_id uuid NOT NULL,
  oauth_client_id uuid NOT NULL,
  redirect_uri text NOT NULL,
  code_hash bytea NOT NULL,
  code_challenge bytea NOT NULL,
  redeemed_at timestamp with time zone,
  family_hash bytea,
  refresh_hash bytea,
  expires_at timestamp with time zone,
  previous_hash bytea,
  rotated_at timestamp with time zone,
  CONSTRAINT oauth_connection_pkey PRIMARY KEY (key_id),
  CONSTRAINT oauth_connection_code_hash_key UNIQUE (code_hash),
  CONSTRAINT oauth_connection_family_hash_key UNIQUE (family_hash),
  CONSTRAINT oauth_connection_code_challenge_check CHECK ((octet_length(code_challenge) = 32)),
  CONSTRAINT oauth_connection_code_hash_check CHECK ((octet_length(code_hash) = 32)),
  CONSTRAINT oauth_connection_family_hash_check CHECK ((octet_length(family_hash) = 32)),
  CONSTRAINT oauth_connection_has_turned CHECK (((num_nulls(previous_hash, rotated_at) = ANY (ARRAY[0, 2])) AND ((rotated_at IS NULL) OR (redeemed_at IS NOT NULL)))),
  CONSTRAINT oauth_connection_is_whole CHECK ((num_nulls(redeemed_at, family_hash, refresh_hash, expires_at) = ANY (ARRAY[0, 4]))),
  CONSTRAINT oauth_connection_previous_hash_check CHECK ((octet_length(previous_hash) = 32)),
  CONSTRAINT oauth_connection_redirect_uri_check CHECK (((length(redirect_uri) >= 1) AND (length(redirect_uri) <= 500))),
  CONSTRAINT oauth_connection_refresh_hash_check CHECK ((octet_length(refresh_hash) = 32)),
  CONSTRAINT oauth_connection_of_key FOREIGN KEY (key_id, oauth_client_id) REFERENCES api_key(id, oauth_client_id)
);
CREATE TRIGGER oauth_connection_is_redeemed_once BEFORE UPDATE OF redeemed_at ON public.oauth_connection FOR EACH ROW WHEN ((old.redeemed_at IS NOT NULL)) EXECUTE FUNCTION keep_columns('redeemed_at');
CREATE TRIGGER oauth_connection_stays BEFORE UPDATE OF key_id, oauth_client_id, redirect_uri, code_hash, code_challenge, family_hash ON public.oauth_connection FOR EACH ROW WHEN ((old.redeemed_at IS NOT NULL)) EXECUTE FUNCTION keep_columns('key_id', 'oauth_client_id', 'redirect_uri', 'code_hash', 'code_challenge', 'family_hash');
COMMENT ON TABLE oauth_connection IS 'How the key of a connected application began, and how it is renewed. Of codes and tokens it has the SHA-256 alone.';
COMMENT ON COLUMN oauth_connection.code_challenge IS 'The SHA-256 of what redeems the code (PKCE, S256).';
COMMENT ON COLUMN oauth_connection.redeemed_at IS 'When the code was exchanged for tokens, which it is once.';
COMMENT ON COLUMN oauth_connection.family_hash IS 'Of the part that all refresh tokens of this connection share.';
COMMENT ON COLUMN oauth_connection.refresh_hash IS 'Of the refresh token that is valid now.';
COMMENT ON COLUMN oauth_connection.expires_at IS 'When that ends; each renewal begins a new time.';
COMMENT ON COLUMN oauth_connection.previous_hash IS 'Of the refresh token before it, which gets the same answer for a moment: an answer may be lost, and two windows may ask at once.';

CREATE TABLE odoo_connection (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  project_id uuid NOT NULL,
  name text NOT NULL,
  url text NOT NULL,
  database text,
  login text,
  kind text NOT NULL,
  environment text NOT NULL,
  agent_access text DEFAULT 'read'::text NOT NULL,
  production_write_allowed_at timestamp with time zone,
  secret bytea,
  secret_key_id text,
  secret_set_at timestamp with time zone,
  secret_expires_at timestamp with time zone,
  erp_version text,
  edition text DEFAULT 'unknown'::text NOT NULL,
  last_probe jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  warned_of_expiry timestamp with time zone,
  noted_as_expired timestamp with time zone,
  agent_exceptions text[] DEFAULT '{}'::text[] NOT NULL,
  CONSTRAINT odoo_connection_pkey PRIMARY KEY (id),
  CONSTRAINT odoo_connection_of_project UNIQUE (project_id, id),
  CONSTRAINT odoo_connection_agent_access_check CHECK ((agent_access = ANY (ARRAY['none'::text, 'read'::text, 'write'::text]))),
  CONSTRAINT odoo_connection_database_check CHECK (((length(database) >= 1) AND (length(database) <= 100))),
  CONSTRAINT odoo_connection_edition_check CHECK ((edition = ANY (ARRAY['community'::text, 'enterprise'::text, 'unknown'::text]))),
  CONSTRAINT odoo_connection_environment_check CHECK ((environment = ANY (ARRAY['production'::text, 'staging'::text, 'development'::text]))),
  CONSTRAINT odoo_connection_erp_version_check CHECK (((length(erp_version) >= 1) AND (length(erp_version) <= 50))),
  CONSTRAINT odoo_connection_exceptions_are_names CHECK (((cardinality(agent_exceptions) <= 50) AND (array_position(agent_exceptions, NULL::text) IS NULL) AND (array_to_string(agent_exceptions, ' '::text) ~ '^([a-z0-9_.]{1,128}(/[a-z0-9_]{1,64})?( |$))*$'::text))),
  CONSTRAINT odoo_connection_kind_check CHECK ((kind = ANY (ARRAY['api_key'::text, 'password'::text]))),
  CONSTRAINT odoo_connection_login_check CHECK (((length(login) >= 1) AND (length(login) <= 254))),
  CONSTRAINT odoo_connection_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  CONSTRAINT odoo_connection_name_is_name CHECK (is_name(name)),
  CONSTRAINT odoo_connection_production_write CHECK ((((environment = 'production'::text) AND (agent_access = 'write'::text)) = (production_write_allowed_at IS NOT NULL))),
  CONSTRAINT odoo_connection_secret_is_whole CHECK ((num_nulls(secret, secret_key_id, secret_set_at) = ANY (ARRAY[0, 3]))),
  CONSTRAINT odoo_connection_secret_key_id_check CHECK ((length(secret_key_id) = 16)),
  CONSTRAINT odoo_connection_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2000))),
  CONSTRAINT odoo_connection_url_is_address CHECK ((url ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*)?$'::text)),
  CONSTRAINT odoo_connection_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE
);
CREATE INDEX odoo_connection_expires ON public.odoo_connection USING btree (secret_expires_at) WHERE (secret_expires_at IS NOT NULL);
CREATE UNIQUE INDEX odoo_connection_name_taken ON public.odoo_connection USING btree (project_id, name_key(name) COLLATE "C");
COMMENT ON TABLE odoo_connection IS 'An Odoo that tasks of a project may use, with its sealed credential. It belongs to the project and stays when that is given to another owner.';
COMMENT ON COLUMN odoo_connection.production_write_allowed_at IS 'When an admin of the project let agents write to this production database. Set by that act alone.';
COMMENT ON COLUMN odoo_connection.secret IS 'AES-256-GCM: nonce, ciphertext and tag, bound to this row, its project and the origin of its address.';
COMMENT ON COLUMN odoo_connection.secret_key_id IS 'Which key of the servers opens the secret.';
COMMENT ON COLUMN odoo_connection.secret_expires_at IS 'As the server said when it was last asked, or as people wrote it.';
COMMENT ON COLUMN odoo_connection.last_probe IS 'What the server answered when it was last asked, and when.';
COMMENT ON COLUMN odoo_connection.warned_of_expiry IS 'The expiry that people were warned of; another one is another warning.';
COMMENT ON COLUMN odoo_connection.noted_as_expired IS 'The expiry that people were told had come.';
COMMENT ON COLUMN odoo_connection.agent_exceptions IS 'Names of models, and of fields as model/field, for which an admin of the project has lifted the list of what agents neither see nor change.';

CREATE TABLE odoo_dump (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  project_id uuid NOT NULL,
  uploaded_by_user_id uuid NOT NULL,
  production boolean NOT NULL,
  approved_by_user_id uuid,
  approved_by_kind text DEFAULT 'person'::text NOT NULL,
  erp_version text NOT NULL,
  size bigint NOT NULL,
  unpacked_size bigint NOT NULL,
  sha256 text NOT NULL,
  storage_key text NOT NULL,
  state text DEFAULT 'preparing'::text NOT NULL,
  reason text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  prepared_at timestamp with time zone,
  owner text,
  lease_until timestamp with time zone,
  not_before timestamp with time zone DEFAULT now() NOT NULL,
  attempt integer DEFAULT 0 NOT NULL,
  CONSTRAINT odoo_dump_pkey PRIMARY KEY (id),
  CONSTRAINT odoo_dump_of_project UNIQUE (project_id),
  CONSTRAINT odoo_dump_stored_once UNIQUE (storage_key),
  CONSTRAINT odoo_dump_approved_by_kind_check CHECK ((approved_by_kind = 'person'::text)),
  CONSTRAINT odoo_dump_attempt_check CHECK ((attempt >= 0)),
  CONSTRAINT odoo_dump_erp_version_check CHECK (((length(erp_version) >= 1) AND (length(erp_version) <= 20))),
  CONSTRAINT odoo_dump_failed_for_a_reason CHECK (((state = 'failed'::text) = (reason IS NOT NULL))),
  CONSTRAINT odoo_dump_is_leased_completely CHECK (((owner IS NULL) = (lease_until IS NULL))),
  CONSTRAINT odoo_dump_leased_while_preparing CHECK (((state = 'preparing'::text) OR (owner IS NULL))),
  CONSTRAINT odoo_dump_of_production_is_approved CHECK ((production = (approved_by_user_id IS NOT NULL))),
  CONSTRAINT odoo_dump_owner_check CHECK (((length(owner) >= 1) AND (length(owner) <= 200))),
  CONSTRAINT odoo_dump_ready_once_prepared CHECK (((state <> 'ready'::text) OR (prepared_at IS NOT NULL))),
  CONSTRAINT odoo_dump_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000))),
  CONSTRAINT odoo_dump_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT odoo_dump_size_check CHECK ((size > 0)),
  CONSTRAINT odoo_dump_state_check CHECK ((state = ANY (ARRAY['preparing'::text, 'ready'::text, 'failed'::text]))),
  CONSTRAINT odoo_dump_storage_key_check CHECK ((storage_key ~ '^[0-9a-f-]{36}/[0-9a-f-]{36}$'::text)),
  CONSTRAINT odoo_dump_unpacked_size_check CHECK ((unpacked_size > 0)),
  CONSTRAINT odoo_dump_approved_by_user_id_fkey FOREIGN KEY (approved_by_user_id) REFERENCES app_user(id),
  CONSTRAINT odoo_dump_is_approved_by_person FOREIGN KEY (approved_by_user_id, approved_by_kind) REFERENCES app_user(id, kind),
  CONSTRAINT odoo_dump_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE,
  CONSTRAINT odoo_dump_uploaded_by_user_id_fkey FOREIGN KEY (uploaded_by_user_id) REFERENCES app_user(id)
);
CREATE INDEX odoo_dump_approved_by ON public.odoo_dump USING btree (approved_by_user_id);
CREATE INDEX odoo_dump_preparing ON public.odoo_dump USING btree (not_before) WHERE (state = 'preparing'::text);
CREATE INDEX odoo_dump_uploaded_by ON public.odoo_dump USING btree (uploaded_by_user_id);
CREATE TRIGGER odoo_dump_deleted AFTER DELETE ON public.odoo_dump REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_files();
CREATE TRIGGER odoo_dump_stays BEFORE UPDATE ON public.odoo_dump FOR EACH ROW EXECUTE FUNCTION keep_columns('id', 'project_id', 'uploaded_by_user_id', 'production', 'approved_by_user_id', 'erp_version', 'size', 'unpacked_size', 'sha256', 'storage_key', 'created_at');
CREATE TRIGGER odoo_dump_stays_failed BEFORE UPDATE OF state ON public.odoo_dump FOR EACH ROW WHEN ((old.state = 'failed'::text)) EXECUTE FUNCTION keep_columns('state');
CREATE TRIGGER odoo_dump_stored AFTER INSERT ON public.odoo_dump REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_files();
COMMENT ON TABLE odoo_dump IS 'The backup of an Odoo database from which the ERP instances of a project start, once a worker has restored and neutralised it. A project has at most one.';
COMMENT ON COLUMN odoo_dump.production IS 'Whether it is a copy of a production system.';
COMMENT ON COLUMN odoo_dump.approved_by_user_id IS 'The person who has said that a copy of a production system may be used.';
COMMENT ON COLUMN odoo_dump.approved_by_kind IS 'Constant: with approved_by_user_id it refers to a person.';
COMMENT ON COLUMN odoo_dump.erp_version IS 'As its manifest has it.';
COMMENT ON COLUMN odoo_dump.unpacked_size IS 'What its files take up unpacked, in bytes.';
COMMENT ON COLUMN odoo_dump.state IS 'ready: the database that instances are copied from is there, and was checked. It is preparing again where that is lost.';
COMMENT ON COLUMN odoo_dump.owner IS 'The worker that prepares it, until lease_until; then any other.';
COMMENT ON COLUMN odoo_dump.not_before IS 'When a worker may try again what has failed.';
COMMENT ON COLUMN odoo_dump.attempt IS 'How often a worker has begun to prepare it.';

CREATE TABLE odoo_expiry_warning (
  id uuid DEFAULT uuid_v7() NOT NULL,
  connection_id uuid NOT NULL,
  user_id uuid NOT NULL,
  level text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT odoo_expiry_warning_pkey PRIMARY KEY (id),
  CONSTRAINT odoo_expiry_warning_once UNIQUE (connection_id, expires_at, level, user_id),
  CONSTRAINT odoo_expiry_warning_level_check CHECK ((level = ANY (ARRAY['expires'::text, 'expired'::text]))),
  CONSTRAINT odoo_expiry_warning_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES odoo_connection(id) ON DELETE CASCADE,
  CONSTRAINT odoo_expiry_warning_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX odoo_expiry_warning_of_user ON public.odoo_expiry_warning USING btree (user_id);
COMMENT ON TABLE odoo_expiry_warning IS 'Mail to one person that the secret of a connection expires, once for each expiry and level: the subject of the mail.';

CREATE TABLE operator (
  user_id uuid NOT NULL,
  user_kind text DEFAULT 'person'::text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT operator_pkey PRIMARY KEY (user_id),
  CONSTRAINT operator_user_kind_check CHECK ((user_kind = 'person'::text)),
  CONSTRAINT operator_is_person FOREIGN KEY (user_id, user_kind) REFERENCES app_user(id, kind)
);
CREATE TRIGGER operator_stays BEFORE UPDATE ON public.operator FOR EACH ROW EXECUTE FUNCTION keep_columns('user_id', 'user_kind', 'created_at');
COMMENT ON TABLE operator IS 'People who operate this server. The command line adds them; a deactivation removes them for good.';
COMMENT ON COLUMN operator.user_kind IS 'Constant: with user_id it refers to a person.';

CREATE TABLE organization (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  name text NOT NULL,
  color text,
  icon text,
  require_2fa boolean DEFAULT false NOT NULL,
  owner_user_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  admins_manage_admins boolean DEFAULT true NOT NULL,
  instructions text,
  owner_kind text DEFAULT 'person'::text NOT NULL,
  CONSTRAINT organization_pkey PRIMARY KEY (id),
  CONSTRAINT organization_color_check CHECK ((color ~ '^#[0-9A-Fa-f]{6}$'::text)),
  CONSTRAINT organization_icon_check CHECK (((length(icon) >= 1) AND (length(icon) <= 100))),
  CONSTRAINT organization_instructions_check CHECK (((length(instructions) >= 1) AND (length(instructions) <= 20000))),
  CONSTRAINT organization_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  CONSTRAINT organization_name_is_name CHECK (is_name(name)),
  CONSTRAINT organization_owner_kind_check CHECK ((owner_kind = 'person'::text)),
  CONSTRAINT organization_owner_is_member FOREIGN KEY (id, owner_user_id) REFERENCES membership(organization_id, user_id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT organization_owner_is_person FOREIGN KEY (owner_user_id, owner_kind) REFERENCES app_user(id, kind)
);
CREATE INDEX organization_by_name ON public.organization USING btree (lower(name) COLLATE "C", id);
CREATE INDEX organization_name_search ON public.organization USING gin (lower(name) gin_trgm_ops);
CREATE INDEX organization_owner ON public.organization USING btree (owner_user_id);
CREATE TRIGGER organization_checks_auto_reload AFTER UPDATE OF require_2fa, owner_user_id ON public.organization FOR EACH ROW WHEN (((new.require_2fa AND (NOT old.require_2fa)) OR (new.owner_user_id <> old.owner_user_id))) EXECUTE FUNCTION check_auto_reload();
CREATE TRIGGER organization_notes_revocations AFTER UPDATE OF require_2fa ON public.organization FOR EACH ROW WHEN ((new.require_2fa <> old.require_2fa)) EXECUTE FUNCTION note_revocations_of_workspace();
CREATE TRIGGER organization_of_present_person BEFORE INSERT OR UPDATE OF owner_user_id ON public.organization FOR EACH ROW EXECUTE FUNCTION refuse_deleted_person('owner_user_id');
CREATE TRIGGER organization_opens_account AFTER INSERT ON public.organization FOR EACH ROW EXECUTE FUNCTION open_billing_account();
COMMENT ON TABLE organization IS 'A workspace: a shared account that owns projects and is billed as one.';
COMMENT ON COLUMN organization.require_2fa IS 'Members without a second factor keep their membership, but cannot act here.';
COMMENT ON COLUMN organization.owner_user_id IS 'Exactly one owner, who is a member. The owner''s own membership says admin, which is what remains after a transfer.';
COMMENT ON COLUMN organization.admins_manage_admins IS 'Whether admins may make and unmake admins. The owner decides.';
COMMENT ON COLUMN organization.instructions IS 'What its admins tell every agent that works in it, at the beginning of each session.';
COMMENT ON COLUMN organization.owner_kind IS 'Constant: with owner_user_id it refers to a person.';

CREATE TABLE outbox (
  id uuid DEFAULT uuid_v7() NOT NULL,
  topic text NOT NULL,
  key text NOT NULL,
  payload jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  done_at timestamp with time zone,
  CONSTRAINT outbox_pkey PRIMARY KEY (id),
  CONSTRAINT outbox_topic_key_key UNIQUE (topic, key),
  CONSTRAINT outbox_key_check CHECK (((length(key) >= 1) AND (length(key) <= 200))),
  CONSTRAINT outbox_topic_check CHECK (((length(topic) >= 1) AND (length(topic) <= 100)))
);
CREATE INDEX outbox_open ON public.outbox USING btree (created_at) WHERE (done_at IS NULL);
CREATE INDEX outbox_start_of_task ON public.outbox USING btree ((((payload ->> 'task_id'::text))::uuid)) WHERE ((topic = 'agent_start'::text) AND (done_at IS NULL));
CREATE TRIGGER balance_low_for_webhooks AFTER INSERT ON public.outbox FOR EACH ROW WHEN ((new.topic = 'low_balance'::text)) EXECUTE FUNCTION webhook_on_balance();
CREATE TRIGGER outbox_keeps_its_message BEFORE UPDATE OF id, topic, key, payload, created_at ON public.outbox FOR EACH ROW EXECUTE FUNCTION keep_columns('id', 'topic', 'key', 'payload', 'created_at');
COMMENT ON TABLE outbox IS 'What must happen after a commit, written in the same transaction.';
COMMENT ON COLUMN outbox.key IS 'Makes it happen once per topic.';

CREATE TABLE passkey (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  user_id uuid NOT NULL,
  credential_id bytea NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  backed_up boolean NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp with time zone,
  user_kind text DEFAULT 'person'::text NOT NULL,
  CONSTRAINT passkey_pkey PRIMARY KEY (id),
  CONSTRAINT passkey_counter_check CHECK ((counter >= 0)),
  CONSTRAINT passkey_credential_id_check CHECK (((octet_length(credential_id) >= 1) AND (octet_length(credential_id) <= 1023))),
  CONSTRAINT passkey_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  CONSTRAINT passkey_name_is_name CHECK (is_name(name)),
  CONSTRAINT passkey_public_key_check CHECK (((octet_length(public_key) >= 1) AND (octet_length(public_key) <= 2048))),
  CONSTRAINT passkey_user_kind_check CHECK ((user_kind = 'person'::text)),
  CONSTRAINT passkey_of_person FOREIGN KEY (user_id, user_kind) REFERENCES app_user(id, kind),
  CONSTRAINT passkey_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE UNIQUE INDEX passkey_known ON public.passkey USING btree (credential_id);
CREATE INDEX passkey_of_user ON public.passkey USING btree (user_id, created_at);
CREATE TRIGGER passkey_counter BEFORE UPDATE OF counter ON public.passkey FOR EACH ROW EXECUTE FUNCTION check_passkey_counter();
CREATE TRIGGER passkey_stays BEFORE UPDATE OF id, user_id, credential_id, public_key, created_at ON public.passkey FOR EACH ROW EXECUTE FUNCTION keep_columns('id', 'user_id', 'credential_id', 'public_key', 'created_at');
COMMENT ON TABLE passkey IS 'A credential of WebAuthn with which a person signs in.';
COMMENT ON COLUMN passkey.public_key IS 'In COSE.';
COMMENT ON COLUMN passkey.counter IS 'How often its device has signed. One that goes back is a copy; devices that do not count send 0.';
COMMENT ON COLUMN passkey.backed_up IS 'Whether it is kept in more than one device.';
COMMENT ON COLUMN passkey.user_kind IS 'Constant: with user_id it refers to a person.';

CREATE TABLE passkey_challenge (
  challenge bytea NOT NULL,
  purpose text NOT NULL,
  session_id uuid,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT passkey_challenge_pkey PRIMARY KEY (challenge),
  CONSTRAINT passkey_challenge_challenge_check CHECK ((octet_length(challenge) = 32)),
  CONSTRAINT passkey_challenge_of_session CHECK (((session_id IS NULL) = (purpose = 'sign_in'::text))),
  CONSTRAINT passkey_challenge_purpose_check CHECK ((purpose = ANY (ARRAY['register'::text, 'sign_in'::text, 'second_factor'::text, 'proof'::text]))),
  CONSTRAINT passkey_challenge_session_id_fkey FOREIGN KEY (session_id) REFERENCES session(id)
);
CREATE INDEX passkey_challenge_expires ON public.passkey_challenge USING btree (expires_at);
CREATE INDEX passkey_challenge_session ON public.passkey_challenge USING btree (session_id);
COMMENT ON TABLE passkey_challenge IS 'What a passkey is asked to sign. It is deleted with the first answer, right or wrong.';

CREATE TABLE password (
  user_id uuid NOT NULL,
  phc text NOT NULL,
  set_at timestamp with time zone DEFAULT now() NOT NULL,
  user_kind text DEFAULT 'person'::text NOT NULL,
  CONSTRAINT password_pkey PRIMARY KEY (user_id),
  CONSTRAINT password_phc_check CHECK (((phc ~~ '$argon2id$%'::text) AND (length(phc) <= 300))),
  CONSTRAINT password_user_kind_check CHECK ((user_kind = 'person'::text)),
  CONSTRAINT password_of_person FOREIGN KEY (user_id, user_kind) REFERENCES app_user(id, kind),
  CONSTRAINT password_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
COMMENT ON TABLE password IS 'The passwords of people, hashed by Argon2id in the PHC string format.';
COMMENT ON COLUMN password.user_kind IS 'Constant: with user_id it refers to a person.';

CREATE TABLE payment_method (
  id text NOT NULL,
  user_id uuid NOT NULL,
  token text NOT NULL,
  brand text NOT NULL,
  last4 text NOT NULL,
  detached_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  fingerprint text,
  exp_month smallint,
  exp_year smallint,
  default_at timestamp with time zone,
  look bigint DEFAULT 0 NOT NULL,
  user_kind text DEFAULT 'person'::text NOT NULL,
  CONSTRAINT payment_method_pkey PRIMARY KEY (id),
  CONSTRAINT payment_method_brand_check CHECK (((length(brand) >= 1) AND (length(brand) <= 30))),
  CONSTRAINT payment_method_exp_month_check CHECK (((exp_month >= 1) AND (exp_month <= 12))),
  CONSTRAINT payment_method_exp_year_check CHECK (((exp_year >= 2000) AND (exp_year <= 9999))),
  CONSTRAINT payment_method_fingerprint_check CHECK (((length(fingerprint) >= 1) AND (length(fingerprint) <= 255))),
  CONSTRAINT payment_method_id_check CHECK ((id ~ '^pm_[0-9A-Za-z]{10,60}$'::text)),
  CONSTRAINT payment_method_last4_check CHECK ((last4 ~ '^[0-9]{4}$'::text)),
  CONSTRAINT payment_method_token_check CHECK (((length(token) >= 1) AND (length(token) <= 255))),
  CONSTRAINT payment_method_user_kind_check CHECK ((user_kind = 'person'::text)),
  CONSTRAINT payment_method_of_person FOREIGN KEY (user_id, user_kind) REFERENCES app_user(id, kind),
  CONSTRAINT payment_method_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX payment_method_expiry ON public.payment_method USING btree (exp_year, exp_month) WHERE (detached_at IS NULL);
CREATE UNIQUE INDEX payment_method_token ON public.payment_method USING btree (token) WHERE (token ~ '^pm_[0-9A-Za-z]+$'::text);
CREATE INDEX payment_method_user ON public.payment_method USING btree (user_id);
CREATE TRIGGER payment_method_ends_shares AFTER UPDATE OF detached_at ON public.payment_method FOR EACH ROW WHEN ((new.detached_at IS NOT NULL)) EXECUTE FUNCTION end_card_shares();
CREATE TRIGGER payment_method_of_present_person BEFORE INSERT ON public.payment_method FOR EACH ROW EXECUTE FUNCTION refuse_deleted_person('user_id');
COMMENT ON TABLE payment_method IS 'A saved card. Detached, never deleted.';
COMMENT ON COLUMN payment_method.token IS 'The card processor''s id of it; `id` is ours.';
COMMENT ON COLUMN payment_method.fingerprint IS 'The card processor''s id of the card itself, the same when a card is saved twice.';
COMMENT ON COLUMN payment_method.exp_month IS 'The card can be charged until the end of this month; null for a card saved before it was recorded.';
COMMENT ON COLUMN payment_method.default_at IS 'When its person last chose it as their default: the latest choice counts, otherwise the oldest card.';
COMMENT ON COLUMN payment_method.look IS 'Counts the questions to the processor: only the answer to the last one is applied.';
COMMENT ON COLUMN payment_method.user_kind IS 'Constant: with user_id it refers to a person.';

CREATE TABLE plan (
  task_id uuid NOT NULL,
  version integer NOT NULL,
  approved_version integer,
  approved_by_user_id uuid,
  approved_at timestamp with time zone,
  project_id uuid,
  revised_at timestamp with time zone,
  policy_version integer,
  CONSTRAINT plan_pkey PRIMARY KEY (task_id),
  CONSTRAINT plan_approval_is_complete CHECK ((num_nulls(approved_version, approved_by_user_id, approved_at) = ANY (ARRAY[0, 3]))),
  CONSTRAINT plan_approved_version_exists CHECK ((approved_version <= version)),
  CONSTRAINT plan_policy_version_is_approved CHECK (((policy_version IS NULL) OR ((approved_version IS NOT NULL) AND (policy_version <= approved_version)))),
  CONSTRAINT plan_approved_as FOREIGN KEY (task_id, approved_version, approved_by_user_id, approved_at) REFERENCES plan_approval(task_id, version, approved_by_user_id, approved_at) ON DELETE CASCADE,
  CONSTRAINT plan_current_revision FOREIGN KEY (task_id, version) REFERENCES plan_revision(task_id, version) ON DELETE CASCADE,
  CONSTRAINT plan_of_task FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE
);
CREATE INDEX plan_open_newest ON public.plan USING btree (project_id, revised_at DESC, task_id DESC) WHERE (approved_version IS DISTINCT FROM version);
CREATE TRIGGER plan_changed_is_noted AFTER UPDATE OF version, approved_version ON public.plan FOR EACH ROW WHEN (((old.version IS DISTINCT FROM new.version) OR (old.approved_version IS DISTINCT FROM new.approved_version))) EXECUTE FUNCTION note_change_of_task();
CREATE TRIGGER plan_is_placed BEFORE INSERT OR UPDATE OF version ON public.plan FOR EACH ROW EXECUTE FUNCTION place_plan();
CREATE TRIGGER plan_written_is_noted AFTER INSERT ON public.plan FOR EACH ROW EXECUTE FUNCTION note_change_of_task();
COMMENT ON TABLE plan IS 'The plan of a task as it stands: which revision is current, and which one is approved.';
COMMENT ON COLUMN plan.approved_version IS 'May be older than the current version, which is not approved then.';
COMMENT ON COLUMN plan.project_id IS 'That of the task, from a trigger.';
COMMENT ON COLUMN plan.revised_at IS 'When the current revision was written, from a trigger.';
COMMENT ON COLUMN plan.policy_version IS 'The newest version that a policy approved: if it is approved_version, no person approved that.';

CREATE TABLE plan_approval (
  task_id uuid NOT NULL,
  version integer NOT NULL,
  approved_by_user_id uuid NOT NULL,
  approved_at timestamp with time zone DEFAULT now() NOT NULL,
  approval_source text DEFAULT 'person'::text NOT NULL,
  CONSTRAINT plan_approval_pkey PRIMARY KEY (task_id, version),
  CONSTRAINT plan_approval_source_check CHECK ((approval_source = ANY (ARRAY['person'::text, 'policy'::text]))),
  CONSTRAINT plan_approval_approved_by_user_id_fkey FOREIGN KEY (approved_by_user_id) REFERENCES app_user(id),
  CONSTRAINT plan_approval_of_revision FOREIGN KEY (task_id, version) REFERENCES plan_revision(task_id, version) ON DELETE CASCADE
);
CREATE INDEX plan_approval_approved_by ON public.plan_approval USING btree (approved_by_user_id);
CREATE UNIQUE INDEX plan_approval_whole ON public.plan_approval USING btree (task_id, version, approved_by_user_id, approved_at);
CREATE TRIGGER plan_approval_insert_only BEFORE DELETE OR UPDATE ON public.plan_approval FOR EACH ROW EXECUTE FUNCTION refuse_change_of_plan();
CREATE TRIGGER plan_approval_no_truncate BEFORE TRUNCATE ON public.plan_approval FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER plan_approval_of_text BEFORE INSERT ON public.plan_approval FOR EACH ROW EXECUTE FUNCTION refuse_removed_plan();
COMMENT ON TABLE plan_approval IS 'Who approved which version of a plan, and when. Insert-only; deleted with the task.';
COMMENT ON COLUMN plan_approval.approval_source IS 'policy: the project approves plans automatically. approved_by_user_id is then the creator of the task, who did not look at it.';

CREATE TABLE plan_comment (
  id uuid DEFAULT uuid_v7() NOT NULL,
  task_id uuid NOT NULL,
  version integer NOT NULL,
  start_line integer NOT NULL,
  end_line integer NOT NULL,
  current_start_line integer,
  text text NOT NULL,
  author_user_id uuid NOT NULL,
  resolved_at timestamp with time zone,
  resolved_by_user_id uuid,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  told_in_turn integer,
  told_revision timestamp with time zone,
  told_resolved boolean,
  CONSTRAINT plan_comment_pkey PRIMARY KEY (id),
  CONSTRAINT plan_comment_current_start_line_check CHECK ((current_start_line > 0)),
  CONSTRAINT plan_comment_lines_in_order CHECK (((1 <= start_line) AND (start_line <= end_line))),
  CONSTRAINT plan_comment_resolution_is_complete CHECK (((resolved_at IS NULL) = (resolved_by_user_id IS NULL))),
  CONSTRAINT plan_comment_text_check CHECK (((length(text) >= 1) AND (length(text) <= 10000))),
  CONSTRAINT plan_comment_told_in_turn_check CHECK ((told_in_turn > 0)),
  CONSTRAINT plan_comment_told_is_complete CHECK ((num_nulls(told_in_turn, told_revision, told_resolved) = ANY (ARRAY[0, 3]))),
  CONSTRAINT plan_comment_author_user_id_fkey FOREIGN KEY (author_user_id) REFERENCES app_user(id),
  CONSTRAINT plan_comment_of_revision FOREIGN KEY (task_id, version) REFERENCES plan_revision(task_id, version) ON DELETE CASCADE,
  CONSTRAINT plan_comment_resolved_by_user_id_fkey FOREIGN KEY (resolved_by_user_id) REFERENCES app_user(id)
);
CREATE INDEX plan_comment_author ON public.plan_comment USING btree (author_user_id);
CREATE INDEX plan_comment_of_task ON public.plan_comment USING btree (task_id, id);
CREATE INDEX plan_comment_resolved_by ON public.plan_comment USING btree (resolved_by_user_id);
CREATE TRIGGER plan_comment_mentions AFTER INSERT ON public.plan_comment FOR EACH ROW WHEN ((new.text ~ '@\S+@'::text)) EXECUTE FUNCTION note_mentions();
COMMENT ON TABLE plan_comment IS 'What people say about lines of a version of a plan.';
COMMENT ON COLUMN plan_comment.version IS 'The version whose lines it is about.';
COMMENT ON COLUMN plan_comment.current_start_line IS 'Where the same lines begin in the current version; null if that has changed them.';
COMMENT ON COLUMN plan_comment.told_in_turn IS 'The number of the turn whose agent was last told something new of it; null before.';
COMMENT ON COLUMN plan_comment.told_revision IS 'What updated_at was of what the agent was told.';
COMMENT ON COLUMN plan_comment.told_resolved IS 'Whether the agent was told that it is resolved.';

CREATE TABLE plan_revision (
  task_id uuid NOT NULL,
  version integer NOT NULL,
  body text NOT NULL,
  sha256 bytea NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  author_user_id uuid,
  CONSTRAINT plan_revision_pkey PRIMARY KEY (task_id, version),
  CONSTRAINT plan_revision_version_check CHECK ((version > 0)),
  CONSTRAINT plan_revision_author FOREIGN KEY (author_user_id) REFERENCES app_user(id),
  CONSTRAINT plan_revision_of_task FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE
);
CREATE INDEX plan_revision_author ON public.plan_revision USING btree (author_user_id);
CREATE TRIGGER plan_revision_hash BEFORE INSERT ON public.plan_revision FOR EACH ROW EXECUTE FUNCTION hash_plan_revision();
CREATE TRIGGER plan_revision_insert_only BEFORE DELETE OR UPDATE ON public.plan_revision FOR EACH ROW EXECUTE FUNCTION refuse_change_of_plan();
CREATE TRIGGER plan_revision_no_truncate BEFORE TRUNCATE ON public.plan_revision FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
COMMENT ON TABLE plan_revision IS 'Each text of a plan, as it was written. Insert-only; deleted with the task.';
COMMENT ON COLUMN plan_revision.sha256 IS 'Of the text in UTF-8, computed by a trigger.';
COMMENT ON COLUMN plan_revision.author_user_id IS 'The person who wrote it; null is the agent.';

CREATE TABLE pod (
  id uuid DEFAULT uuid_v7() NOT NULL,
  task_id uuid NOT NULL,
  driver text NOT NULL,
  external_id text,
  state text NOT NULL,
  generation integer DEFAULT 1 NOT NULL,
  reason text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  started_at timestamp with time zone,
  expires_at timestamp with time zone,
  agent_session text,
  spent_before_session_nano bigint DEFAULT 0 NOT NULL,
  isolation text,
  filled_at timestamp with time zone,
  absences integer DEFAULT 0 NOT NULL,
  checked_at timestamp with time zone,
  lost_at timestamp with time zone,
  held_by text,
  held_until timestamp with time zone,
  counted_until timestamp with time zone,
  uncounted_ms bigint DEFAULT 0 NOT NULL,
  confined boolean,
  set_up_at timestamp with time zone,
  told_session text,
  set_up_for text,
  CONSTRAINT pod_pkey PRIMARY KEY (id),
  CONSTRAINT pod_absences_check CHECK ((absences >= 0)),
  CONSTRAINT pod_agent_session_check CHECK (((length(agent_session) >= 1) AND (length(agent_session) <= 300))),
  CONSTRAINT pod_driver_check CHECK (((length(driver) >= 1) AND (length(driver) <= 50))),
  CONSTRAINT pod_external_id_check CHECK (((length(external_id) >= 1) AND (length(external_id) <= 300))),
  CONSTRAINT pod_failed_for_a_reason CHECK (
CASE
    WHEN (state = 'failed'::text) THEN (reason IS NOT NULL)
    WHEN (state <> ALL (ARRAY['destroying'::text, 'absent'::text])) THEN (reason IS NULL)
    ELSE true
END),
  CONSTRAINT pod_generation_check CHECK ((generation > 0)),
  CONSTRAINT pod_held_by_check CHECK (((length(held_by) >= 1) AND (length(held_by) <= 200))),
  CONSTRAINT pod_isolation_check CHECK (((length(isolation) >= 1) AND (length(isolation) <= 1000))),
  CONSTRAINT pod_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 500))),
  CONSTRAINT pod_set_up_for_check CHECK ((length(set_up_for) = 64)),
  CONSTRAINT pod_spent_before_session_nano_check CHECK ((spent_before_session_nano >= 0)),
  CONSTRAINT pod_state_check CHECK ((state = ANY (ARRAY['creating'::text, 'running'::text, 'paused'::text, 'destroying'::text, 'absent'::text, 'failed'::text, 'unknown'::text]))),
  CONSTRAINT pod_told_session_check CHECK (((length(told_session) >= 1) AND (length(told_session) <= 300))),
  CONSTRAINT pod_uncounted_ms_check CHECK ((uncounted_ms >= 0)),
  CONSTRAINT pod_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE
);
CREATE INDEX pod_all_of_task ON public.pod USING btree (task_id, created_at);
CREATE INDEX pod_existing ON public.pod USING btree (expires_at) INCLUDE (driver, state) WHERE (state <> ALL (ARRAY['absent'::text, 'failed'::text]));
CREATE UNIQUE INDEX pod_of_task ON public.pod USING btree (task_id) WHERE (state <> ALL (ARRAY['absent'::text, 'failed'::text, 'destroying'::text]));
CREATE INDEX pod_uncounted ON public.pod USING btree (counted_until, id) WHERE ((counted_until IS NOT NULL) OR (uncounted_ms >= 1000));
CREATE INDEX pod_unknown ON public.pod USING btree (checked_at) WHERE (state = 'unknown'::text);
CREATE TRIGGER pod_time BEFORE INSERT OR UPDATE OF state ON public.pod FOR EACH ROW EXECUTE FUNCTION count_pod_time();
CREATE TRIGGER pod_transition BEFORE UPDATE OF state ON public.pod FOR EACH ROW EXECUTE FUNCTION check_pod_transition();
COMMENT ON TABLE pod IS 'Where the agent of a task works. At most one exists per task.';
COMMENT ON COLUMN pod.state IS 'unknown: its driver does not answer; it is replaced only after the driver has answered absent twice.';
COMMENT ON COLUMN pod.agent_session IS 'What its agent calls the conversation, to go on with it.';
COMMENT ON COLUMN pod.spent_before_session_nano IS 'Nano-USD that the task had cost when agent_session began.';
COMMENT ON COLUMN pod.isolation IS 'What confines its processes, as a sentence for people.';
COMMENT ON COLUMN pod.filled_at IS 'When its work tree had the last commit of the task: before, a turn fills it again.';
COMMENT ON COLUMN pod.absences IS 'How often its driver has answered that it is gone, since it did not answer.';
COMMENT ON COLUMN pod.checked_at IS 'When its driver was last asked for it while it was unknown.';
COMMENT ON COLUMN pod.lost_at IS 'When it was found to be gone although nobody had destroyed it.';
COMMENT ON COLUMN pod.held_until IS 'Until then, held_by alone works on it while no turn runs: a turn that begins waits.';
COMMENT ON COLUMN pod.counted_until IS 'While it runs: the time of it until then is in usage, or in uncounted_ms.';
COMMENT ON COLUMN pod.uncounted_ms IS 'Milliseconds in which it ran and that are not in usage yet.';
COMMENT ON COLUMN pod.confined IS 'Whether its processes are kept apart from the machine; not known of pods that were started before this was stored.';
COMMENT ON COLUMN pod.set_up_at IS 'When the setup of its environment had succeeded in it: before, a turn runs it again.';
COMMENT ON COLUMN pod.told_session IS 'The agent_session that has answered a prompt, and so knows what came before it.';
COMMENT ON COLUMN pod.set_up_for IS 'A hash of the setup that had succeeded at set_up_at and of the files that its result depends on: when another one is wanted, a turn runs the setup again. Null for pods of earlier releases.';

CREATE TABLE pod_log (
  pod_id uuid NOT NULL,
  content text NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  removed_at timestamp with time zone,
  CONSTRAINT pod_log_pkey PRIMARY KEY (pod_id),
  CONSTRAINT pod_log_content_check CHECK ((octet_length(content) <= 65536)),
  CONSTRAINT pod_log_pod_id_fkey FOREIGN KEY (pod_id) REFERENCES pod(id) ON DELETE CASCADE
);
CREATE INDEX pod_log_kept ON public.pod_log USING btree (updated_at) WHERE (removed_at IS NULL);
COMMENT ON TABLE pod_log IS 'The last that the agents of a pod have written beside their messages.';
COMMENT ON COLUMN pod_log.removed_at IS 'When a sentence replaced the log because of its age.';

CREATE TABLE pod_request (
  task_id uuid NOT NULL,
  action text NOT NULL,
  requested_by_user_id uuid NOT NULL,
  requested_at timestamp with time zone DEFAULT now() NOT NULL,
  not_before timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  CONSTRAINT pod_request_pkey PRIMARY KEY (task_id),
  CONSTRAINT pod_request_action_check CHECK ((action = ANY (ARRAY['start'::text, 'stop'::text]))),
  CONSTRAINT pod_request_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT pod_request_requested_by_user_id_fkey FOREIGN KEY (requested_by_user_id) REFERENCES app_user(id),
  CONSTRAINT pod_request_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE
);
CREATE INDEX pod_request_due ON public.pod_request USING btree (not_before);
CREATE INDEX pod_request_requested_by ON public.pod_request USING btree (requested_by_user_id);
COMMENT ON TABLE pod_request IS 'That the pod of a task shall run, or rest. A worker that has seen to it deletes the row.';
COMMENT ON COLUMN pod_request.not_before IS 'When a worker may try: a while later once one has begun, in case that it dies.';

CREATE TABLE processor_event (
  id text NOT NULL,
  type text NOT NULL,
  intent_id text,
  created_at timestamp with time zone NOT NULL,
  received_at timestamp with time zone DEFAULT now() NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
  processed_at timestamp with time zone,
  last_error text,
  setup_id text,
  token text,
  CONSTRAINT processor_event_pkey PRIMARY KEY (id),
  CONSTRAINT processor_event_id_check CHECK (((length(id) >= 1) AND (length(id) <= 255))),
  CONSTRAINT processor_event_type_check CHECK (((length(type) >= 1) AND (length(type) <= 255)))
);
CREATE INDEX processor_event_due ON public.processor_event USING btree (next_attempt_at) WHERE (processed_at IS NULL);
CREATE INDEX processor_event_newest ON public.processor_event USING btree (created_at DESC);
COMMENT ON TABLE processor_event IS 'Webhook events by the card processor''s id, stored whether their type is known or not, and processed in any order.';
COMMENT ON COLUMN processor_event.intent_id IS 'The charge that the event is about.';
COMMENT ON COLUMN processor_event.created_at IS 'The card processor''s time.';
COMMENT ON COLUMN processor_event.setup_id IS 'The attempt to save a card that the event is about.';
COMMENT ON COLUMN processor_event.token IS 'The saved card that the event is about.';

CREATE TABLE project (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  organization_id uuid,
  owner_user_id uuid,
  name text NOT NULL,
  erp_version text NOT NULL,
  erp_edition text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  default_model text,
  plan_approval text DEFAULT 'required'::text NOT NULL,
  spend_cap bigint,
  archived_at timestamp with time zone,
  direct_push text DEFAULT 'nobody'::text NOT NULL,
  instructions text,
  owner_kind text DEFAULT 'person'::text NOT NULL,
  CONSTRAINT project_pkey PRIMARY KEY (id),
  CONSTRAINT project_id_organization_id_key UNIQUE (id, organization_id),
  CONSTRAINT project_default_model_check CHECK (((length(default_model) >= 1) AND (length(default_model) <= 100))),
  CONSTRAINT project_direct_push CHECK ((direct_push = ANY (ARRAY['nobody'::text, 'admins'::text]))),
  CONSTRAINT project_erp_edition_check CHECK ((erp_edition = ANY (ARRAY['community'::text, 'enterprise'::text]))),
  CONSTRAINT project_erp_version_check CHECK (((length(erp_version) >= 1) AND (length(erp_version) <= 20))),
  CONSTRAINT project_has_one_owner CHECK ((num_nonnulls(organization_id, owner_user_id) <= 1)),
  CONSTRAINT project_instructions_check CHECK (((length(instructions) >= 1) AND (length(instructions) <= 20000))),
  CONSTRAINT project_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  CONSTRAINT project_name_is_name CHECK (is_name(name)),
  CONSTRAINT project_owner_kind_check CHECK ((owner_kind = 'person'::text)),
  CONSTRAINT project_plan_approval_check CHECK ((plan_approval = ANY (ARRAY['required'::text, 'automatic'::text]))),
  CONSTRAINT project_spend_cap_check CHECK ((spend_cap > 0)),
  CONSTRAINT project_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT project_owner_is_person FOREIGN KEY (owner_user_id, owner_kind) REFERENCES app_user(id, kind),
  CONSTRAINT project_owner_user_id_fkey FOREIGN KEY (owner_user_id) REFERENCES app_user(id)
);
CREATE INDEX project_of_owner ON public.project USING btree (owner_user_id, lower(name) COLLATE "C", id);
CREATE INDEX project_of_workspace ON public.project USING btree (organization_id, lower(name) COLLATE "C", id);
CREATE TRIGGER project_changed_is_noted AFTER UPDATE OF archived_at, organization_id, owner_user_id, default_model ON public.project FOR EACH ROW WHEN (((((old.archived_at IS DISTINCT FROM new.archived_at) OR (old.organization_id IS DISTINCT FROM new.organization_id)) OR (old.owner_user_id IS DISTINCT FROM new.owner_user_id)) OR (old.default_model IS DISTINCT FROM new.default_model))) EXECUTE FUNCTION note_project_change();
CREATE TRIGGER project_deleted_is_noted AFTER DELETE ON public.project FOR EACH ROW EXECUTE FUNCTION note_project_change();
CREATE TRIGGER project_deletion_notes_revocations AFTER DELETE ON public.project REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_revocations_of_deleted_project();
CREATE TRIGGER project_gets_repository AFTER INSERT ON public.project FOR EACH ROW EXECUTE FUNCTION begin_repository();
CREATE TRIGGER project_joins_teams AFTER INSERT ON public.project FOR EACH ROW WHEN ((new.organization_id IS NOT NULL)) EXECUTE FUNCTION add_teams_to_new_project();
CREATE TRIGGER project_leaves_production_write AFTER UPDATE OF organization_id, owner_user_id ON public.project FOR EACH ROW WHEN (((old.organization_id IS DISTINCT FROM new.organization_id) OR (old.owner_user_id IS DISTINCT FROM new.owner_user_id))) EXECUTE FUNCTION end_production_write();
CREATE TRIGGER project_leaves_service_accounts AFTER UPDATE OF organization_id ON public.project FOR EACH ROW WHEN ((old.organization_id IS DISTINCT FROM new.organization_id)) EXECUTE FUNCTION end_service_grants();
CREATE TRIGGER project_leaves_spend_limits AFTER UPDATE OF organization_id, owner_user_id ON public.project FOR EACH ROW WHEN (((old.organization_id IS DISTINCT FROM new.organization_id) OR (old.owner_user_id IS DISTINCT FROM new.owner_user_id))) EXECUTE FUNCTION end_spend_limits();
CREATE TRIGGER project_notes_revocations AFTER UPDATE ON public.project REFERENCING OLD TABLE AS previous NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_revocations_of_project();
CREATE TRIGGER project_of_present_person BEFORE INSERT OR UPDATE OF owner_user_id ON public.project FOR EACH ROW WHEN ((new.owner_user_id IS NOT NULL)) EXECUTE FUNCTION refuse_deleted_person('owner_user_id');
COMMENT ON TABLE project IS 'Owned by a workspace, by a user (a personal project), or by nobody (released, after its workspace was deleted).';
COMMENT ON COLUMN project.default_model IS 'The model of a task that names none; null is the catalog''s default.';
COMMENT ON COLUMN project.plan_approval IS '`automatic`: the agent''s plans are approved by this policy instead of a person.';
COMMENT ON COLUMN project.spend_cap IS 'Micro-USD that the tasks of the project may cost in all.';
COMMENT ON COLUMN project.archived_at IS 'Archived projects take no new tasks and are left out of lists.';
COMMENT ON COLUMN project.direct_push IS 'Who may push to branches that are not of tasks, and not of production unless they may merge there.';
COMMENT ON COLUMN project.instructions IS 'What its admins tell every agent that works on it, at the beginning of each session.';
COMMENT ON COLUMN project.owner_kind IS 'Constant: with owner_user_id it refers to a person.';

CREATE TABLE project_environment (
  project_id uuid NOT NULL,
  image text,
  setup text,
  setup_timeout_minutes integer,
  cache text[],
  CONSTRAINT project_environment_pkey PRIMARY KEY (project_id),
  CONSTRAINT project_environment_cache_check CHECK ((cardinality(cache) <= 20)),
  CONSTRAINT project_environment_image_check CHECK (((length(image) >= 1) AND (length(image) <= 100))),
  CONSTRAINT project_environment_setup_check CHECK (((length(setup) >= 1) AND (length(setup) <= 4000))),
  CONSTRAINT project_environment_setup_timeout_minutes_check CHECK (((setup_timeout_minutes >= 1) AND (setup_timeout_minutes <= 60))),
  CONSTRAINT project_environment_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE
);
COMMENT ON TABLE project_environment IS 'What the admins of a project say about the environment of its commands. Null leaves a field to the build file of the commit.';
COMMENT ON COLUMN project_environment.image IS 'An image of the catalog, by its id; for pods that are containers.';
COMMENT ON COLUMN project_environment.setup IS 'A command for the shell that runs in a pod before the agent, a check or a deploy.';
COMMENT ON COLUMN project_environment.cache IS 'Files of the repository: the result of the setup is kept until one of them changes.';

CREATE TABLE project_grant (
  project_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role_id uuid NOT NULL,
  scope text DEFAULT 'project'::text NOT NULL,
  assignable boolean DEFAULT true NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT project_grant_pkey PRIMARY KEY (project_id, user_id),
  CONSTRAINT project_grant_assignable_check CHECK (assignable),
  CONSTRAINT project_grant_scope_check CHECK ((scope = 'project'::text)),
  CONSTRAINT project_grant_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE,
  CONSTRAINT project_grant_role_id_scope_assignable_fkey FOREIGN KEY (role_id, scope, assignable) REFERENCES role(id, scope, assignable),
  CONSTRAINT project_grant_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX project_grant_role ON public.project_grant USING btree (role_id);
CREATE INDEX project_grant_user ON public.project_grant USING btree (user_id);
CREATE TRIGGER project_grant_notes_revocation AFTER DELETE ON public.project_grant FOR EACH ROW EXECUTE FUNCTION note_revocation('user_id');
CREATE TRIGGER project_grant_of_present_person BEFORE INSERT ON public.project_grant FOR EACH ROW EXECUTE FUNCTION refuse_deleted_person('user_id');
CREATE TRIGGER project_grant_role_belongs BEFORE INSERT OR UPDATE OF role_id ON public.project_grant FOR EACH ROW EXECUTE FUNCTION check_role_belongs();
COMMENT ON TABLE project_grant IS 'A role set for a person on a project: an override for a member of its workspace, otherwise an outside collaboration.';
COMMENT ON COLUMN project_grant.scope IS 'Constant: with role_id it refers to a role of a project.';
COMMENT ON COLUMN project_grant.assignable IS 'Constant: with role_id it refers to a role that can be assigned.';

CREATE TABLE project_mcp_server (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  project_id uuid NOT NULL,
  name text NOT NULL,
  url text,
  host text,
  port integer,
  headers jsonb DEFAULT '[]'::jsonb NOT NULL,
  command text,
  args text[] DEFAULT '{}'::text[] NOT NULL,
  env jsonb DEFAULT '[]'::jsonb NOT NULL,
  turns text[] NOT NULL,
  read_only boolean NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_by_user_id uuid NOT NULL,
  CONSTRAINT project_mcp_server_pkey PRIMARY KEY (id),
  CONSTRAINT project_mcp_server_is_one UNIQUE (project_id, name),
  CONSTRAINT project_mcp_server_address_is_whole CHECK ((num_nulls(url, host, port) = ANY (ARRAY[0, 3]))),
  CONSTRAINT project_mcp_server_args_check CHECK ((array_position(args, NULL::text) IS NULL)),
  CONSTRAINT project_mcp_server_command_check CHECK (((length(command) >= 1) AND (length(command) <= 500))),
  CONSTRAINT project_mcp_server_env_check CHECK ((jsonb_typeof(env) = 'array'::text)),
  CONSTRAINT project_mcp_server_has_fields_of_its_kind CHECK (
CASE
    WHEN (url IS NULL) THEN (headers = '[]'::jsonb)
    ELSE ((args = '{}'::text[]) AND (env = '[]'::jsonb))
END),
  CONSTRAINT project_mcp_server_has_one_kind CHECK ((num_nonnulls(url, command) = 1)),
  CONSTRAINT project_mcp_server_headers_check CHECK ((jsonb_typeof(headers) = 'array'::text)),
  CONSTRAINT project_mcp_server_host_check CHECK ((((length(host) >= 1) AND (length(host) <= 255)) AND (host = lower(host)))),
  CONSTRAINT project_mcp_server_name_check CHECK ((name ~ '^[A-Za-z0-9_-]{1,50}$'::text)),
  CONSTRAINT project_mcp_server_plans_only_read CHECK ((read_only OR (NOT ('plan'::text = ANY (turns))))),
  CONSTRAINT project_mcp_server_port_check CHECK (((port >= 1) AND (port <= 65535))),
  CONSTRAINT project_mcp_server_turns_are_known CHECK (((cardinality(turns) >= 1) AND (array_position(turns, NULL::text) IS NULL) AND (cardinality(turns) = ((('plan'::text = ANY (turns)))::integer + (('build'::text = ANY (turns)))::integer)))),
  CONSTRAINT project_mcp_server_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2000))),
  CONSTRAINT project_mcp_server_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE,
  CONSTRAINT project_mcp_server_updated_by_user_id_fkey FOREIGN KEY (updated_by_user_id) REFERENCES app_user(id)
);
CREATE INDEX project_mcp_server_by_user ON public.project_mcp_server USING btree (updated_by_user_id);
COMMENT ON TABLE project_mcp_server IS 'A server of the Model Context Protocol that agents of a project are given: at an address, or a command of their pod.';
COMMENT ON COLUMN project_mcp_server.host IS 'Of the address, as lists of hosts write it.';
COMMENT ON COLUMN project_mcp_server.headers IS 'Name and value of each. ${NAME} in a value stands for a variable of the project.';
COMMENT ON COLUMN project_mcp_server.env IS 'The same for the environment of the command.';
COMMENT ON COLUMN project_mcp_server.turns IS 'What gets it: turns that plan, turns that build.';
COMMENT ON COLUMN project_mcp_server.read_only IS 'Whether an admin says that it changes nothing; only then may turns that plan have it.';

CREATE TABLE project_mute (
  user_id uuid NOT NULL,
  project_id uuid NOT NULL,
  muted_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT project_mute_pkey PRIMARY KEY (user_id, project_id),
  CONSTRAINT project_mute_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE,
  CONSTRAINT project_mute_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX project_mute_of_project ON public.project_mute USING btree (project_id);
COMMENT ON TABLE project_mute IS 'Projects of whose tasks a person is told nothing.';

CREATE TABLE project_network_host (
  project_id uuid NOT NULL,
  purpose text NOT NULL,
  host text NOT NULL,
  CONSTRAINT project_network_host_pkey PRIMARY KEY (project_id, purpose, host),
  CONSTRAINT project_network_host_host_check CHECK ((((length(host) >= 1) AND (length(host) <= 261)) AND (host = lower(host)))),
  CONSTRAINT project_network_host_is_pattern CHECK (((host ~ '^(\*\.)?[a-z0-9_.-]+(:(80|443))?$'::text) AND (host !~ '^[0-9.]+(:[0-9]+)?$'::text))),
  CONSTRAINT project_network_host_purpose_check CHECK ((purpose = ANY (ARRAY['setup'::text, 'agent'::text, 'checks'::text, 'deploy'::text]))),
  CONSTRAINT project_network_host_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE
);
COMMENT ON TABLE project_network_host IS 'A host that processes of the project may reach, beside those that the operator gives to all.';
COMMENT ON COLUMN project_network_host.host IS 'A name, or `*.` and a name for all below it; with a port, or for the ports 443 and 80.';

CREATE TABLE project_storage (
  project_id uuid NOT NULL,
  files bigint DEFAULT 0 NOT NULL,
  bytes bigint DEFAULT 0 NOT NULL,
  CONSTRAINT project_storage_pkey PRIMARY KEY (project_id),
  CONSTRAINT project_storage_bytes_check CHECK ((bytes >= 0)),
  CONSTRAINT project_storage_files_check CHECK ((files >= 0)),
  CONSTRAINT project_storage_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE
);
COMMENT ON TABLE project_storage IS 'How many files a project has and how large they are, from triggers.';

CREATE TABLE project_variable (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  project_id uuid NOT NULL,
  name text NOT NULL,
  stage text,
  purposes text[] NOT NULL,
  value text,
  sealed bytea,
  sealed_key_id text,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_by_user_id uuid NOT NULL,
  CONSTRAINT project_variable_pkey PRIMARY KEY (id),
  CONSTRAINT project_variable_is_one UNIQUE NULLS NOT DISTINCT (project_id, name, stage),
  CONSTRAINT project_variable_has_one_value CHECK ((num_nonnulls(value, sealed) = 1)),
  CONSTRAINT project_variable_name_check CHECK ((name ~ '^[A-Za-z_][A-Za-z0-9_]{0,99}$'::text)),
  CONSTRAINT project_variable_purposes_are_known CHECK (((cardinality(purposes) >= 1) AND (array_position(purposes, NULL::text) IS NULL) AND (cardinality(purposes) = ((((('setup'::text = ANY (purposes)))::integer + (('agent'::text = ANY (purposes)))::integer) + (('checks'::text = ANY (purposes)))::integer) + (('deploy'::text = ANY (purposes)))::integer)))),
  CONSTRAINT project_variable_sealed_check CHECK (((octet_length(sealed) >= 32) AND (octet_length(sealed) <= 32796))),
  CONSTRAINT project_variable_sealed_is_whole CHECK ((num_nulls(sealed, sealed_key_id) = ANY (ARRAY[0, 2]))),
  CONSTRAINT project_variable_sealed_key_id_check CHECK ((length(sealed_key_id) = 16)),
  CONSTRAINT project_variable_stage_check CHECK ((stage = ANY (ARRAY['staging'::text, 'production'::text]))),
  CONSTRAINT project_variable_stage_is_of_deploys CHECK (((stage IS NULL) OR (purposes = ARRAY['deploy'::text]))),
  CONSTRAINT project_variable_value_check CHECK ((octet_length(value) <= 32768)),
  CONSTRAINT project_variable_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE,
  CONSTRAINT project_variable_updated_by_user_id_fkey FOREIGN KEY (updated_by_user_id) REFERENCES app_user(id)
);
CREATE INDEX project_variable_by_user ON public.project_variable USING btree (updated_by_user_id);
COMMENT ON TABLE project_variable IS 'A variable of the environment of what a project runs: plain, or a secret, which is sealed. One with a stage is for deploys of that stage and wins over the one without.';
COMMENT ON COLUMN project_variable.purposes IS 'Which processes get it: the setup of an environment, agents, checks, deploys.';
COMMENT ON COLUMN project_variable.sealed IS 'AES-256-GCM: nonce, ciphertext and tag, bound to the project, the name and the stage.';
COMMENT ON COLUMN project_variable.sealed_key_id IS 'Which key of the servers opens it.';

CREATE TABLE provider_attempt (
  token_hash bytea NOT NULL,
  provider text NOT NULL,
  session_id uuid,
  return_to text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  organization_id uuid,
  installation_id bigint,
  CONSTRAINT provider_attempt_pkey PRIMARY KEY (token_hash),
  CONSTRAINT provider_attempt_installation_id_check CHECK ((installation_id > 0)),
  CONSTRAINT provider_attempt_provider_check CHECK (((length(provider) >= 1) AND (length(provider) <= 30))),
  CONSTRAINT provider_attempt_return_to_check CHECK (((length(return_to) >= 1) AND (length(return_to) <= 1000))),
  CONSTRAINT provider_attempt_token_hash_check CHECK ((octet_length(token_hash) = 32)),
  CONSTRAINT provider_attempt_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id) ON DELETE CASCADE,
  CONSTRAINT provider_attempt_session_id_fkey FOREIGN KEY (session_id) REFERENCES session(id)
);
CREATE INDEX provider_attempt_expires ON public.provider_attempt USING btree (expires_at);
CREATE INDEX provider_attempt_organization ON public.provider_attempt USING btree (organization_id);
CREATE INDEX provider_attempt_session ON public.provider_attempt USING btree (session_id);
COMMENT ON TABLE provider_attempt IS 'A browser that was sent to a provider. Its cookie holds the token, and it comes back once.';
COMMENT ON COLUMN provider_attempt.session_id IS 'The session to whose person the account is linked.';
COMMENT ON COLUMN provider_attempt.organization_id IS 'The workspace that the installation is for; null for the person.';
COMMENT ON COLUMN provider_attempt.installation_id IS 'What the browser said was installed. It proves nothing until GitHub says so to the person.';

CREATE TABLE pull_request (
  task_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  number integer NOT NULL,
  base text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  state text DEFAULT 'open'::text NOT NULL,
  opened_by_user_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  head_sha text,
  looked_at timestamp with time zone,
  pushed_at timestamp with time zone,
  url text,
  base_sha text,
  mergeable boolean,
  merged_base_sha text,
  merged_head_sha text,
  merged_looked_at timestamp with time zone,
  reviews_known_until timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT pull_request_pkey PRIMARY KEY (task_id),
  CONSTRAINT pull_request_repository_id_number_key UNIQUE (repository_id, number),
  CONSTRAINT pull_request_base_check CHECK (is_branch_name(base)),
  CONSTRAINT pull_request_base_sha_check CHECK ((base_sha ~ '^[0-9a-f]{40}$'::text)),
  CONSTRAINT pull_request_body_check CHECK ((length(body) <= 65536)),
  CONSTRAINT pull_request_head_sha_check CHECK ((head_sha ~ '^[0-9a-f]{40}$'::text)),
  CONSTRAINT pull_request_merged_range CHECK ((((merged_base_sha IS NULL) = (merged_head_sha IS NULL)) AND ((merged_head_sha IS NULL) OR (state = 'merged'::text)) AND (merged_base_sha ~ '^[0-9a-f]{40}$'::text) AND (merged_head_sha ~ '^[0-9a-f]{40}$'::text))),
  CONSTRAINT pull_request_number_check CHECK ((number > 0)),
  CONSTRAINT pull_request_state_check CHECK ((state = ANY (ARRAY['open'::text, 'merged'::text, 'closed'::text]))),
  CONSTRAINT pull_request_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  CONSTRAINT pull_request_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2000))),
  CONSTRAINT pull_request_opened_by_user_id_fkey FOREIGN KEY (opened_by_user_id) REFERENCES app_user(id),
  CONSTRAINT pull_request_repository_id_fkey FOREIGN KEY (repository_id) REFERENCES repository(id) ON DELETE CASCADE,
  CONSTRAINT pull_request_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE
);
CREATE INDEX pull_request_looked_at ON public.pull_request USING btree (looked_at NULLS FIRST) WHERE (state = 'open'::text);
CREATE INDEX pull_request_merged_last ON public.pull_request USING btree (repository_id, updated_at DESC, task_id DESC) WHERE (state = 'merged'::text);
CREATE INDEX pull_request_merged_unknown ON public.pull_request USING btree (merged_looked_at NULLS FIRST) WHERE ((state = 'merged'::text) AND (merged_head_sha IS NULL));
CREATE INDEX pull_request_on_github ON public.pull_request USING btree (looked_at NULLS FIRST) WHERE ((url IS NOT NULL) AND ((state = 'open'::text) OR (looked_at IS NULL)));
CREATE INDEX pull_request_open ON public.pull_request USING btree (repository_id) WHERE (state = 'open'::text);
CREATE INDEX pull_request_opened_by ON public.pull_request USING btree (opened_by_user_id);
CREATE TRIGGER pull_request_changed AFTER UPDATE OF state, base, head_sha, mergeable ON public.pull_request FOR EACH ROW WHEN (((((old.state IS DISTINCT FROM new.state) OR (old.base IS DISTINCT FROM new.base)) OR (old.head_sha IS DISTINCT FROM new.head_sha)) OR ((old.mergeable IS DISTINCT FROM new.mergeable) AND (new.mergeable IS NOT NULL)))) EXECUTE FUNCTION note_pull_request();
CREATE TRIGGER pull_request_changed_is_noted AFTER UPDATE OF state, base ON public.pull_request FOR EACH ROW WHEN (((old.state IS DISTINCT FROM new.state) OR (old.base IS DISTINCT FROM new.base))) EXECUTE FUNCTION note_change_of_task();
CREATE TRIGGER pull_request_opened AFTER INSERT ON public.pull_request FOR EACH ROW EXECUTE FUNCTION note_pull_request();
CREATE TRIGGER pull_request_opened_is_noted AFTER INSERT ON public.pull_request FOR EACH ROW EXECUTE FUNCTION note_change_of_task();
COMMENT ON TABLE pull_request IS 'That the branch of a task is offered for merging. A task has one.';
COMMENT ON COLUMN pull_request.base IS 'The branch that it is to be merged into.';
COMMENT ON COLUMN pull_request.head_sha IS 'The last commit of its branch when that was last looked at: its checks are those of that commit.';
COMMENT ON COLUMN pull_request.looked_at IS 'When a worker last looked whether its branch has moved, beside what it was told.';
COMMENT ON COLUMN pull_request.pushed_at IS 'When a person has last moved the branch of the task, as far as this server knows.';
COMMENT ON COLUMN pull_request.url IS 'Where GitHub shows it; null for the local host.';
COMMENT ON COLUMN pull_request.base_sha IS 'The last commit of its base when GitHub was last looked at; null for the local host.';
COMMENT ON COLUMN pull_request.mergeable IS 'Whether GitHub said that it can be merged; null while GitHub computes it, and for the local host.';
COMMENT ON COLUMN pull_request.merged_base_sha IS 'With merged_head_sha, the two commits between which what was merged is the difference. A reference of the repository keeps both. Null until they are known.';
COMMENT ON COLUMN pull_request.merged_looked_at IS 'When both were last searched for in the repository of the server.';
COMMENT ON COLUMN pull_request.reviews_known_until IS 'Up to when, by the clock of its host, what people wrote about it there has been looked at; unused for one of this server.';

CREATE TABLE push_key (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  one boolean DEFAULT true NOT NULL,
  public_key bytea NOT NULL,
  sealed bytea NOT NULL,
  sealed_key_id text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT push_key_pkey PRIMARY KEY (id),
  CONSTRAINT push_key_one_key UNIQUE (one),
  CONSTRAINT push_key_one_check CHECK (one),
  CONSTRAINT push_key_public_key_check CHECK ((octet_length(public_key) = 65)),
  CONSTRAINT push_key_sealed_check CHECK (((octet_length(sealed) >= 32) AND (octet_length(sealed) <= 1024))),
  CONSTRAINT push_key_sealed_key_id_check CHECK ((length(sealed_key_id) = 16))
);
COMMENT ON TABLE push_key IS 'The key by which push services know these servers (VAPID, RFC 8292), made at the first start.';
COMMENT ON COLUMN push_key.one IS 'There is one.';
COMMENT ON COLUMN push_key.public_key IS 'A point of P-256, uncompressed; browsers subscribe with it.';
COMMENT ON COLUMN push_key.sealed IS 'AES-256-GCM: the private key, bound to the row.';
COMMENT ON COLUMN push_key.sealed_key_id IS 'Which key of the servers opens it.';

CREATE TABLE push_message (
  subscription_id uuid NOT NULL,
  task_id uuid NOT NULL,
  notification_id uuid NOT NULL,
  due_at timestamp with time zone,
  generation integer DEFAULT 1 NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  sent_at timestamp with time zone,
  CONSTRAINT push_message_pkey PRIMARY KEY (subscription_id, task_id),
  CONSTRAINT push_message_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT push_message_generation_check CHECK ((generation > 0)),
  CONSTRAINT push_message_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES notification(id) ON DELETE CASCADE,
  CONSTRAINT push_message_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES push_subscription(id) ON DELETE CASCADE,
  CONSTRAINT push_message_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE
);
CREATE INDEX push_message_due ON public.push_message USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX push_message_of_notification ON public.push_message USING btree (notification_id);
CREATE INDEX push_message_of_task ON public.push_message USING btree (task_id);
COMMENT ON TABLE push_message IS 'The newest that a browser is told of a task: what is newer takes its place while it waits.';
COMMENT ON COLUMN push_message.due_at IS 'When it is sent, or sent again if whoever claimed it has died; null once it has an outcome.';
COMMENT ON COLUMN push_message.generation IS 'Grows with each newer notification.';

CREATE TABLE push_subscription (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  user_id uuid NOT NULL,
  session_id uuid NOT NULL,
  endpoint_hash bytea NOT NULL,
  sealed bytea NOT NULL,
  sealed_key_id text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT push_subscription_pkey PRIMARY KEY (id),
  CONSTRAINT push_subscription_endpoint_hash_key UNIQUE (endpoint_hash),
  CONSTRAINT push_subscription_session_id_key UNIQUE (session_id),
  CONSTRAINT push_subscription_endpoint_hash_check CHECK ((octet_length(endpoint_hash) = 32)),
  CONSTRAINT push_subscription_sealed_check CHECK (((octet_length(sealed) >= 32) AND (octet_length(sealed) <= 4096))),
  CONSTRAINT push_subscription_sealed_key_id_check CHECK ((length(sealed_key_id) = 16)),
  CONSTRAINT push_subscription_session_id_fkey FOREIGN KEY (session_id) REFERENCES session(id) ON DELETE CASCADE,
  CONSTRAINT push_subscription_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX push_subscription_of_user ON public.push_subscription USING btree (user_id);
CREATE TRIGGER push_subscription_of_present_person BEFORE INSERT ON public.push_subscription FOR EACH ROW EXECUTE FUNCTION refuse_deleted_person('user_id');
COMMENT ON TABLE push_subscription IS 'A browser that wants to be told: where its push service takes messages, while its session lasts.';
COMMENT ON COLUMN push_subscription.endpoint_hash IS 'SHA-256 of the address: one browser has one.';
COMMENT ON COLUMN push_subscription.sealed IS 'AES-256-GCM: the address, which lets whoever has it send, and the keys; bound to the row.';
COMMENT ON COLUMN push_subscription.sealed_key_id IS 'Which key of the servers opens it.';

CREATE TABLE recovery_code (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  user_id uuid NOT NULL,
  code_hash bytea NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  used_at timestamp with time zone,
  key_id text,
  user_kind text DEFAULT 'person'::text NOT NULL,
  CONSTRAINT recovery_code_pkey PRIMARY KEY (id),
  CONSTRAINT recovery_code_code_hash_key UNIQUE (code_hash),
  CONSTRAINT recovery_code_code_hash_check CHECK ((octet_length(code_hash) = 32)),
  CONSTRAINT recovery_code_key_id_check CHECK ((length(key_id) = 16)),
  CONSTRAINT recovery_code_user_kind_check CHECK ((user_kind = 'person'::text)),
  CONSTRAINT recovery_code_of_person FOREIGN KEY (user_id, user_kind) REFERENCES app_user(id, kind),
  CONSTRAINT recovery_code_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX recovery_code_of_user ON public.recovery_code USING btree (user_id);
COMMENT ON TABLE recovery_code IS 'Codes that stand in for a lost second factor, each once. The table has their SHA-256.';
COMMENT ON COLUMN recovery_code.key_id IS 'Which key of the servers made the hash; null if it was not noted.';
COMMENT ON COLUMN recovery_code.user_kind IS 'Constant: with user_id it refers to a person.';

CREATE TABLE refund (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  top_up_id uuid NOT NULL,
  amount bigint NOT NULL,
  status text DEFAULT 'created'::text NOT NULL,
  failure text,
  checks integer DEFAULT 0 NOT NULL,
  next_check_at timestamp with time zone DEFAULT (now() + '00:00:15'::interval),
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT refund_pkey PRIMARY KEY (id),
  CONSTRAINT refund_amount_check CHECK ((amount > 0)),
  CONSTRAINT refund_created_is_checked CHECK (((status = 'created'::text) = (next_check_at IS NOT NULL))),
  CONSTRAINT refund_status_check CHECK ((status = ANY (ARRAY['created'::text, 'succeeded'::text, 'failed'::text]))),
  CONSTRAINT refund_top_up_id_fkey FOREIGN KEY (top_up_id) REFERENCES top_up(id)
);
CREATE INDEX refund_due ON public.refund USING btree (next_check_at) WHERE (status = 'created'::text);
CREATE INDEX refund_top_up ON public.refund USING btree (top_up_id);
CREATE TRIGGER refund_keeps_its_request BEFORE UPDATE OF id, top_up_id, amount ON public.refund FOR EACH ROW EXECUTE FUNCTION keep_columns('id', 'top_up_id', 'amount');
COMMENT ON TABLE refund IS 'A refund that an operator asked for. Its money is held until the processor''s answer is posted.';
COMMENT ON COLUMN refund.next_check_at IS 'When the processor is asked for the outcome next.';

CREATE TABLE repository (
  id uuid DEFAULT uuid_v7() NOT NULL,
  project_id uuid NOT NULL,
  host text NOT NULL,
  full_name text NOT NULL,
  default_branch text DEFAULT 'main'::text NOT NULL,
  host_repository_id bigint,
  installation_id bigint,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  unavailable_reason text,
  looked_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  connection_id uuid,
  host_url text,
  CONSTRAINT repository_pkey PRIMARY KEY (id),
  CONSTRAINT repository_default_branch CHECK (is_branch_name(default_branch)),
  CONSTRAINT repository_full_name_check CHECK (((length(full_name) >= 1) AND (length(full_name) <= 200))),
  CONSTRAINT repository_host_check CHECK ((host = ANY (ARRAY['local'::text, 'github'::text, 'gitea'::text]))),
  CONSTRAINT repository_host_url_check CHECK (((length(host_url) >= 8) AND (length(host_url) <= 500))),
  CONSTRAINT repository_id_of_host CHECK ((((host <> 'local'::text) = (host_repository_id IS NOT NULL)) AND ((host = 'github'::text) = (installation_id IS NOT NULL)) AND ((host = 'gitea'::text) = (host_url IS NOT NULL)) AND ((host = 'gitea'::text) OR (connection_id IS NULL)))),
  CONSTRAINT repository_name_of_host CHECK (
CASE host
    WHEN 'local'::text THEN ((full_name ~ '^[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9_-])?$'::text) AND (full_name !~ '\.\.'::text) AND (full_name !~ '\.(git|lock)$'::text))
    WHEN 'github'::text THEN (full_name ~ '^[A-Za-z0-9_-]{1,39}/[A-Za-z0-9._-]{1,100}$'::text)
    WHEN 'gitea'::text THEN (full_name ~ '^[A-Za-z0-9_][A-Za-z0-9._-]{0,39}/[A-Za-z0-9._-]{1,100}$'::text)
    ELSE NULL::boolean
END),
  CONSTRAINT repository_unavailable_on_host CHECK (((unavailable_reason IS NULL) OR (host <> 'local'::text))),
  CONSTRAINT repository_unavailable_reason_check CHECK ((unavailable_reason = ANY (ARRAY['installation_gone'::text, 'installation_suspended'::text, 'permission_missing'::text, 'repository_gone'::text, 'token_refused'::text]))),
  CONSTRAINT repository_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES gitea_connection(id) ON DELETE SET NULL,
  CONSTRAINT repository_installation FOREIGN KEY (installation_id) REFERENCES github_installation(id),
  CONSTRAINT repository_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX repository_attached ON public.repository USING btree (project_id, host_repository_id, COALESCE(host_url, ''::text));
CREATE INDEX repository_connection ON public.repository USING btree (connection_id);
CREATE INDEX repository_installation ON public.repository USING btree (installation_id);
CREATE UNIQUE INDEX repository_name_taken ON public.repository USING btree (project_id, lower(full_name)) WHERE (host = 'local'::text);
CREATE INDEX repository_of_project ON public.repository USING btree (project_id);
COMMENT ON TABLE repository IS 'A repository that a project uses. Tasks work in the local one `main`, which cannot be detached. Detaching another local one removes the row; its code stays until the project is deleted.';
COMMENT ON COLUMN repository.unavailable_reason IS 'Why GitHub does not let this server use it, since it was last looked at.';
COMMENT ON COLUMN repository.connection_id IS 'What opens one on Gitea; null when the connection was removed, until there is one to the same server.';
COMMENT ON COLUMN repository.host_url IS 'The address of its Gitea, as in gitea_connection.';

CREATE TABLE repository_folder (
  id uuid NOT NULL,
  only_one boolean DEFAULT true NOT NULL,
  place text NOT NULL,
  recorded_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT repository_folder_pkey PRIMARY KEY (only_one),
  CONSTRAINT repository_folder_only_one_check CHECK (only_one),
  CONSTRAINT repository_folder_place_check CHECK (((length(place) >= 1) AND (length(place) <= 5000)))
);
COMMENT ON TABLE repository_folder IS 'The folder of repositories in which tasks are worked on: one for all workers of this database.';
COMMENT ON COLUMN repository_folder.id IS 'As in the file guildhall-id of that folder.';
COMMENT ON COLUMN repository_folder.place IS 'The machine and path where it was first used, for people.';

CREATE TABLE repository_import (
  id uuid DEFAULT uuid_v7() NOT NULL,
  project_id uuid NOT NULL,
  repository_id uuid NOT NULL,
  requested_by_user_id uuid NOT NULL,
  url text NOT NULL,
  credential bytea,
  credential_key_id text,
  state text DEFAULT 'queued'::text NOT NULL,
  phase text,
  received_bytes bigint DEFAULT 0 NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  held_by uuid,
  held_until timestamp with time zone,
  copy_id uuid,
  default_branch text,
  branches integer,
  tags integer,
  left_out integer,
  lfs boolean,
  failure_code text,
  failure_message text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT repository_import_pkey PRIMARY KEY (id),
  CONSTRAINT repository_import_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT repository_import_branches_check CHECK ((branches > 0)),
  CONSTRAINT repository_import_copied CHECK ((((NOT (phase IS DISTINCT FROM 'placing'::text)) OR (state = ANY (ARRAY['done'::text, 'failed'::text])) OR (copy_id IS NULL)) AND ((phase IS DISTINCT FROM 'placing'::text) OR (copy_id IS NOT NULL)) AND ((state <> 'done'::text) OR (copy_id IS NOT NULL)) AND ((copy_id IS NULL) = (num_nulls(default_branch, branches, tags, left_out, lfs) = 5)) AND (num_nulls(default_branch, branches, tags, left_out, lfs) = ANY (ARRAY[0, 5])))),
  CONSTRAINT repository_import_credential CHECK ((((credential IS NULL) = (credential_key_id IS NULL)) AND ((credential IS NULL) OR (state = ANY (ARRAY['queued'::text, 'running'::text]))))),
  CONSTRAINT repository_import_credential_key_id_check CHECK ((length(credential_key_id) = 16)),
  CONSTRAINT repository_import_default_branch_check CHECK (is_branch_name(default_branch)),
  CONSTRAINT repository_import_failure_code_check CHECK (((length(failure_code) >= 1) AND (length(failure_code) <= 100))),
  CONSTRAINT repository_import_failure_message_check CHECK (((length(failure_message) >= 1) AND (length(failure_message) <= 1000))),
  CONSTRAINT repository_import_held CHECK ((((state = 'running'::text) = (held_until IS NOT NULL)) AND ((state = 'running'::text) = (held_by IS NOT NULL)) AND ((state = 'running'::text) = (phase IS NOT NULL)))),
  CONSTRAINT repository_import_left_out_check CHECK ((left_out >= 0)),
  CONSTRAINT repository_import_outcome CHECK ((((state = ANY (ARRAY['done'::text, 'failed'::text])) = (ended_at IS NOT NULL)) AND ((state = 'failed'::text) = (failure_code IS NOT NULL)) AND ((state = 'failed'::text) = (failure_message IS NOT NULL)))),
  CONSTRAINT repository_import_phase_check CHECK ((phase = ANY (ARRAY['connecting'::text, 'receiving'::text, 'checking'::text, 'placing'::text]))),
  CONSTRAINT repository_import_received_bytes_check CHECK ((received_bytes >= 0)),
  CONSTRAINT repository_import_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text]))),
  CONSTRAINT repository_import_tags_check CHECK ((tags >= 0)),
  CONSTRAINT repository_import_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2000))),
  CONSTRAINT repository_import_url_is_address CHECK ((url ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*)?$'::text)),
  CONSTRAINT repository_import_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE,
  CONSTRAINT repository_import_repository_id_fkey FOREIGN KEY (repository_id) REFERENCES repository(id) ON DELETE CASCADE,
  CONSTRAINT repository_import_requested_by_user_id_fkey FOREIGN KEY (requested_by_user_id) REFERENCES app_user(id)
);
CREATE INDEX repository_import_due ON public.repository_import USING btree (created_at) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX repository_import_of_project ON public.repository_import USING btree (project_id);
CREATE INDEX repository_import_of_repository ON public.repository_import USING btree (repository_id, created_at);
CREATE INDEX repository_import_requested_by ON public.repository_import USING btree (requested_by_user_id);
CREATE UNIQUE INDEX repository_import_under_way ON public.repository_import USING btree (repository_id) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));
COMMENT ON TABLE repository_import IS 'That what is in a repository elsewhere is copied into one of this server, once. A worker carries it out.';
COMMENT ON COLUMN repository_import.credential IS 'Of the repository elsewhere, sealed; removed as soon as the import has ended.';
COMMENT ON COLUMN repository_import.credential_key_id IS 'Which key of the servers opens the credential.';
COMMENT ON COLUMN repository_import.attempts IS 'How often a worker has begun with it, apart from those that have given it back.';
COMMENT ON COLUMN repository_import.held_by IS 'The attempt of a worker that alone may write what comes of it, until another one takes it over.';
COMMENT ON COLUMN repository_import.held_until IS 'When another worker may take it over.';
COMMENT ON COLUMN repository_import.copy_id IS 'The attempt whose copy was received and checked: from then on it is put in place, and nothing else.';
COMMENT ON COLUMN repository_import.left_out IS 'How many branches were not imported, because their names are those of branches of tasks.';
COMMENT ON COLUMN repository_import.lfs IS 'Whether the default branch has files in Git LFS, which are not imported.';

CREATE TABLE retention_work (
  only_one boolean DEFAULT true NOT NULL,
  held_by uuid,
  held_until timestamp with time zone,
  next_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT retention_work_pkey PRIMARY KEY (only_one),
  CONSTRAINT retention_work_held CHECK (((held_by IS NULL) = (held_until IS NULL))),
  CONSTRAINT retention_work_only_one_check CHECK (only_one)
);
COMMENT ON TABLE retention_work IS 'When old rows are removed next, and which process does so: one row.';
COMMENT ON COLUMN retention_work.held_until IS 'Until when the process has it, which renews that; afterwards it has died, and another goes on.';

CREATE TABLE revocation (
  id uuid DEFAULT uuid_v7() NOT NULL,
  user_id uuid NOT NULL,
  noted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT revocation_pkey PRIMARY KEY (id)
);
CREATE INDEX revocation_noted ON public.revocation USING btree (noted_at);
COMMENT ON TABLE revocation IS 'A session, key, membership or role of a person has ended. Every process that has event streams reads the latest rows each second; they are kept for an hour.';
COMMENT ON COLUMN revocation.user_id IS 'Not a foreign key: a revocation waits for no lock on its person.';

CREATE TABLE role (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  organization_id uuid,
  scope text NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  color text NOT NULL,
  acts_as text NOT NULL,
  assignable boolean GENERATED ALWAYS AS ((acts_as <> 'owner'::text)) STORED NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT role_pkey PRIMARY KEY (id),
  CONSTRAINT role_id_scope_assignable_key UNIQUE (id, scope, assignable),
  CONSTRAINT role_organization_id_scope_slug_key UNIQUE NULLS NOT DISTINCT (organization_id, scope, slug),
  CONSTRAINT role_acts_as_check CHECK ((acts_as = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'viewer'::text]))),
  CONSTRAINT role_color_check CHECK ((color ~ '^#[0-9A-F]{6}$'::text)),
  CONSTRAINT role_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  CONSTRAINT role_name_is_name CHECK (is_name(name)),
  CONSTRAINT role_name_taken CHECK (((organization_id IS NULL) OR (name_key(name) <> ALL (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'viewer'::text, 'project admin'::text, 'project member'::text, 'project viewer'::text])))),
  CONSTRAINT role_owner_is_built_in CHECK (((acts_as <> 'owner'::text) OR ((organization_id IS NULL) AND (scope = 'workspace'::text) AND (slug = 'owner'::text)))),
  CONSTRAINT role_scope_check CHECK ((scope = ANY (ARRAY['workspace'::text, 'project'::text]))),
  CONSTRAINT role_slug_check CHECK ((slug ~ '^[a-z][a-z0-9_-]{0,49}$'::text)),
  CONSTRAINT role_slug_is_not_built_in CHECK (((organization_id IS NULL) OR (slug <> ALL (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'viewer'::text])))),
  CONSTRAINT role_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX role_name_taken ON public.role USING btree (organization_id, scope, name_key(name) COLLATE "C") NULLS NOT DISTINCT;
CREATE TRIGGER role_checks_auto_reload AFTER UPDATE OF acts_as ON public.role FOR EACH ROW WHEN (((old.acts_as = 'admin'::text) AND (new.acts_as <> 'admin'::text))) EXECUTE FUNCTION check_auto_reload();
CREATE TRIGGER role_ends_card_shares AFTER UPDATE OF acts_as ON public.role FOR EACH ROW WHEN ((new.acts_as <> 'admin'::text)) EXECUTE FUNCTION end_card_shares();
COMMENT ON TABLE role IS 'The built-in roles, which have no organization_id, and custom roles of a workspace, which act as a built-in one.';
COMMENT ON COLUMN role.acts_as IS 'The built-in role whose permissions this one has.';
COMMENT ON COLUMN role.assignable IS 'False for owner, which exists for its name and colour only. Referring tables repeat scope and assignable in their foreign key.';

CREATE TABLE routine (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  project_id uuid NOT NULL,
  name text NOT NULL,
  message text NOT NULL,
  title text,
  model text,
  spend_cap bigint,
  on_behalf_of_user_id uuid NOT NULL,
  starts_by text NOT NULL,
  schedule text,
  time_zone text,
  next_at timestamp with time zone,
  token_hash bytea,
  label text,
  per_hour integer DEFAULT 10 NOT NULL,
  at_once integer DEFAULT 1 NOT NULL,
  enabled boolean DEFAULT true NOT NULL,
  paused_reason text,
  failures integer DEFAULT 0 NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT routine_pkey PRIMARY KEY (id),
  CONSTRAINT routine_token_hash_key UNIQUE (token_hash),
  CONSTRAINT routine_at_once_check CHECK (((at_once >= 1) AND (at_once <= 10))),
  CONSTRAINT routine_failures_check CHECK ((failures >= 0)),
  CONSTRAINT routine_is_called_with_token CHECK (((starts_by = 'call'::text) = (token_hash IS NOT NULL))),
  CONSTRAINT routine_label_check CHECK (((length(label) >= 1) AND (length(label) <= 100))),
  CONSTRAINT routine_label_is_of_label CHECK (((starts_by = 'label'::text) = (label IS NOT NULL))),
  CONSTRAINT routine_message_check CHECK (((length(message) >= 1) AND (length(message) <= 20000))),
  CONSTRAINT routine_model_check CHECK (((length(model) >= 1) AND (length(model) <= 100))),
  CONSTRAINT routine_name_check CHECK ((((length(name) >= 1) AND (length(name) <= 100)) AND is_name(name))),
  CONSTRAINT routine_next_is_of_schedule CHECK (((next_at IS NULL) OR (starts_by = 'schedule'::text))),
  CONSTRAINT routine_paused_reason_check CHECK ((paused_reason = ANY (ARRAY['failing'::text, 'right_ended'::text]))),
  CONSTRAINT routine_per_hour_check CHECK (((per_hour >= 1) AND (per_hour <= 60))),
  CONSTRAINT routine_reason_of_pause CHECK (((NOT enabled) OR (paused_reason IS NULL))),
  CONSTRAINT routine_schedule_check CHECK (((length(schedule) >= 1) AND (length(schedule) <= 100))),
  CONSTRAINT routine_schedule_is_whole CHECK ((((starts_by = 'schedule'::text) = (schedule IS NOT NULL)) AND ((schedule IS NULL) = (time_zone IS NULL)))),
  CONSTRAINT routine_spend_cap_check CHECK ((spend_cap > 0)),
  CONSTRAINT routine_starts_by_check CHECK ((starts_by = ANY (ARRAY['schedule'::text, 'call'::text, 'label'::text, 'mention'::text]))),
  CONSTRAINT routine_time_zone_check CHECK (((length(time_zone) >= 1) AND (length(time_zone) <= 50))),
  CONSTRAINT routine_title_check CHECK ((((length(title) >= 1) AND (length(title) <= 300)) AND is_name(title))),
  CONSTRAINT routine_token_hash_check CHECK ((octet_length(token_hash) = 32)),
  CONSTRAINT routine_on_behalf_of_user_id_fkey FOREIGN KEY (on_behalf_of_user_id) REFERENCES app_user(id),
  CONSTRAINT routine_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE
);
CREATE INDEX routine_due ON public.routine USING btree (next_at) WHERE (enabled AND (next_at IS NOT NULL));
CREATE INDEX routine_of_project ON public.routine USING btree (project_id, created_at);
CREATE INDEX routine_on_behalf_of ON public.routine USING btree (on_behalf_of_user_id);
CREATE TRIGGER routine_of_present_person BEFORE INSERT OR UPDATE OF on_behalf_of_user_id ON public.routine FOR EACH ROW EXECUTE FUNCTION refuse_deleted_person('on_behalf_of_user_id');
COMMENT ON TABLE routine IS 'A message that begins a task of a project again and again, on behalf of somebody who may begin one at that time.';
COMMENT ON COLUMN routine.message IS 'With fields in double braces, which each run fills in.';
COMMENT ON COLUMN routine.schedule IS 'Five fields of cron, in its time zone.';
COMMENT ON COLUMN routine.next_at IS 'When it is due; null when it is not, or never again.';
COMMENT ON COLUMN routine.token_hash IS 'The SHA-256 of the token that calls it.';
COMMENT ON COLUMN routine.label IS 'The label of an issue on GitHub that starts it.';
COMMENT ON COLUMN routine.paused_reason IS 'Why the server paused it: three runs in a row have failed, or nobody may begin its tasks any more. Null when a person did.';
COMMENT ON COLUMN routine.failures IS 'Failed runs since the last one that went well.';

CREATE TABLE routine_notice (
  id uuid DEFAULT uuid_v7() NOT NULL,
  routine_id uuid NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT routine_notice_pkey PRIMARY KEY (id),
  CONSTRAINT routine_notice_routine_id_fkey FOREIGN KEY (routine_id) REFERENCES routine(id) ON DELETE CASCADE,
  CONSTRAINT routine_notice_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX routine_notice_of_routine ON public.routine_notice USING btree (routine_id);
CREATE INDEX routine_notice_of_user ON public.routine_notice USING btree (user_id);
COMMENT ON TABLE routine_notice IS 'That a person is told by mail that a routine was paused; the mail in the outbox is about this row.';

CREATE TABLE routine_run (
  id uuid DEFAULT uuid_v7() NOT NULL,
  routine_id uuid NOT NULL,
  key text NOT NULL,
  started_by text NOT NULL,
  fields jsonb DEFAULT '{}'::jsonb NOT NULL,
  scheduled_for timestamp with time zone,
  state text DEFAULT 'waiting'::text NOT NULL,
  reason text,
  task_id uuid,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  begun_at timestamp with time zone,
  ended_at timestamp with time zone,
  CONSTRAINT routine_run_pkey PRIMARY KEY (id),
  CONSTRAINT routine_run_once UNIQUE (routine_id, key),
  CONSTRAINT routine_run_has_begun CHECK (((state <> 'begun'::text) OR (begun_at IS NOT NULL))),
  CONSTRAINT routine_run_has_ended CHECK (((state = ANY (ARRAY['done'::text, 'skipped'::text, 'failed'::text])) = (ended_at IS NOT NULL))),
  CONSTRAINT routine_run_key_check CHECK (((length(key) >= 1) AND (length(key) <= 200))),
  CONSTRAINT routine_run_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 100))),
  CONSTRAINT routine_run_started_by_check CHECK ((started_by = ANY (ARRAY['schedule'::text, 'call'::text, 'label'::text, 'mention'::text, 'person'::text]))),
  CONSTRAINT routine_run_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'begun'::text, 'done'::text, 'skipped'::text, 'failed'::text]))),
  CONSTRAINT routine_run_routine_id_fkey FOREIGN KEY (routine_id) REFERENCES routine(id) ON DELETE CASCADE,
  CONSTRAINT routine_run_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE SET NULL
);
CREATE INDEX routine_run_begun ON public.routine_run USING btree (task_id) WHERE (state = 'begun'::text);
CREATE INDEX routine_run_newest ON public.routine_run USING btree (routine_id, created_at DESC, id DESC);
CREATE INDEX routine_run_of_task ON public.routine_run USING btree (task_id);
CREATE INDEX routine_run_waiting ON public.routine_run USING btree (created_at) WHERE (state = 'waiting'::text);
COMMENT ON TABLE routine_run IS 'What a routine was asked to do, and what came of it.';
COMMENT ON COLUMN routine_run.key IS 'What started it: the time, the call, the label or the comment. It counts once.';
COMMENT ON COLUMN routine_run.fields IS 'What fills in the fields of the message, beside the time.';
COMMENT ON COLUMN routine_run.reason IS 'Why nothing was begun, or what has failed.';

CREATE TABLE sandbox_intent (
  id text NOT NULL,
  idempotency_key text NOT NULL,
  confirm_key text,
  token text NOT NULL,
  amount bigint NOT NULL,
  status text NOT NULL,
  decline_code text,
  failure_code text,
  metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT sandbox_intent_pkey PRIMARY KEY (id),
  CONSTRAINT sandbox_intent_confirm_key_key UNIQUE (confirm_key),
  CONSTRAINT sandbox_intent_idempotency_key_key UNIQUE (idempotency_key),
  CONSTRAINT sandbox_intent_amount_check CHECK ((amount > 0)),
  CONSTRAINT sandbox_intent_status_check CHECK ((status = ANY (ARRAY['requires_confirmation'::text, 'succeeded'::text, 'requires_payment_method'::text, 'canceled'::text])))
);
COMMENT ON TABLE sandbox_intent IS 'The memory of the sandbox card processor: its charges.';

CREATE TABLE sandbox_refund (
  idempotency_key text NOT NULL,
  intent_id text NOT NULL,
  amount bigint NOT NULL,
  created_at timestamp with time zone DEFAULT now(),
  CONSTRAINT sandbox_refund_pkey PRIMARY KEY (idempotency_key),
  CONSTRAINT sandbox_refund_amount_check CHECK ((amount > 0)),
  CONSTRAINT sandbox_refund_intent_id_fkey FOREIGN KEY (intent_id) REFERENCES sandbox_intent(id)
);
CREATE INDEX sandbox_refund_intent ON public.sandbox_refund USING btree (intent_id);
COMMENT ON TABLE sandbox_refund IS 'The memory of the sandbox card processor: its refunds.';
COMMENT ON COLUMN sandbox_refund.created_at IS 'Null for refunds of an earlier release.';

CREATE TABLE sandbox_setup (
  id text NOT NULL,
  token text NOT NULL,
  CONSTRAINT sandbox_setup_pkey PRIMARY KEY (id),
  CONSTRAINT sandbox_setup_token_check CHECK (((length(token) >= 1) AND (length(token) <= 255)))
);
COMMENT ON TABLE sandbox_setup IS 'The memory of the sandbox card processor: the cards it was given.';

CREATE TABLE schema_migration (
  name text NOT NULL,
  sha256 text NOT NULL,
  applied_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT schema_migration_pkey PRIMARY KEY (name)
);
COMMENT ON TABLE schema_migration IS 'The migrations that were applied.';

CREATE TABLE schema_view (
  name text NOT NULL,
  sha256 text NOT NULL,
  migration text NOT NULL,
  applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT schema_view_pkey PRIMARY KEY (name, sha256)
);
COMMENT ON TABLE schema_view IS 'Which texts of views and functions were applied, and when.';

CREATE TABLE session (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  user_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  pending boolean DEFAULT true NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  proven_at timestamp with time zone,
  last_seen_at timestamp with time zone,
  user_agent text,
  network text,
  user_kind text DEFAULT 'person'::text NOT NULL,
  CONSTRAINT session_pkey PRIMARY KEY (id),
  CONSTRAINT session_token_hash_key UNIQUE (token_hash),
  CONSTRAINT session_expires_after_it_begins CHECK ((expires_at > created_at)),
  CONSTRAINT session_network_check CHECK (((length(network) >= 1) AND (length(network) <= 64))),
  CONSTRAINT session_token_hash_check CHECK ((octet_length(token_hash) = 32)),
  CONSTRAINT session_user_agent_check CHECK ((length(user_agent) <= 300)),
  CONSTRAINT session_user_kind_check CHECK ((user_kind = 'person'::text)),
  CONSTRAINT session_of_person FOREIGN KEY (user_id, user_kind) REFERENCES app_user(id, kind),
  CONSTRAINT session_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX session_end ON public.session USING btree (COALESCE(ended_at, expires_at));
CREATE INDEX session_of_user ON public.session USING btree (user_id);
CREATE TRIGGER session_changes BEFORE UPDATE OF token_hash, pending, proven_at, ended_at ON public.session FOR EACH ROW EXECUTE FUNCTION check_session_change();
CREATE TRIGGER session_notes_revocation AFTER UPDATE OF ended_at, token_hash ON public.session FOR EACH ROW WHEN ((((old.ended_at IS NULL) AND (new.ended_at IS NOT NULL)) OR (old.token_hash <> new.token_hash))) EXECUTE FUNCTION note_revocation('user_id');
CREATE TRIGGER session_request_stays BEFORE UPDATE OF user_agent, network ON public.session FOR EACH ROW WHEN (((new.user_agent IS NOT NULL) OR (new.network IS NOT NULL))) EXECUTE FUNCTION keep_columns('user_agent', 'network');
CREATE TRIGGER session_stays BEFORE UPDATE OF id, user_id, created_at ON public.session FOR EACH ROW EXECUTE FUNCTION keep_columns('id', 'user_id', 'created_at');
COMMENT ON TABLE session IS 'A sign-in of a browser. The cookie holds the token; the table, its SHA-256.';
COMMENT ON COLUMN session.pending IS 'The second factor is still missing: the session opens nothing.';
COMMENT ON COLUMN session.proven_at IS 'When its person last proved who they are, with every factor that they have.';
COMMENT ON COLUMN session.user_agent IS 'What the browser called itself when it signed in.';
COMMENT ON COLUMN session.network IS 'The IPv4 address or /64 network of IPv6 that it signed in from.';
COMMENT ON COLUMN session.user_kind IS 'Constant: with user_id it refers to a person.';

CREATE TABLE sign_in_link (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  user_id uuid,
  token_hash bytea NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  session_id uuid,
  purpose text DEFAULT 'sign_in'::text NOT NULL,
  email text,
  user_kind text DEFAULT 'person'::text NOT NULL,
  CONSTRAINT sign_in_link_pkey PRIMARY KEY (id),
  CONSTRAINT sign_in_link_session_id_key UNIQUE (session_id),
  CONSTRAINT sign_in_link_token_hash_key UNIQUE (token_hash),
  CONSTRAINT sign_in_link_ends_when_used CHECK (((session_id IS NULL) OR (ended_at IS NOT NULL))),
  CONSTRAINT sign_in_link_expires_after_it_begins CHECK ((expires_at > created_at)),
  CONSTRAINT sign_in_link_is_for_one CHECK ((((purpose = 'sign_up'::text) = (user_id IS NULL)) AND ((purpose = 'sign_up'::text) = (email IS NOT NULL)))),
  CONSTRAINT sign_in_link_purpose_check CHECK ((purpose = ANY (ARRAY['sign_in'::text, 'sign_up'::text, 'reset'::text]))),
  CONSTRAINT sign_in_link_token_hash_check CHECK ((octet_length(token_hash) = 32)),
  CONSTRAINT sign_in_link_user_kind_check CHECK ((user_kind = 'person'::text)),
  CONSTRAINT sign_in_link_of_person FOREIGN KEY (user_id, user_kind) REFERENCES app_user(id, kind),
  CONSTRAINT sign_in_link_session_id_fkey FOREIGN KEY (session_id) REFERENCES session(id),
  CONSTRAINT sign_in_link_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX sign_in_link_end ON public.sign_in_link USING btree (COALESCE(ended_at, expires_at));
CREATE UNIQUE INDEX sign_in_link_of_mailbox ON public.sign_in_link USING btree (mailbox(email)) WHERE ((ended_at IS NULL) AND (purpose = 'sign_up'::text));
CREATE INDEX sign_in_link_of_user ON public.sign_in_link USING btree (user_id);
CREATE UNIQUE INDEX sign_in_link_open ON public.sign_in_link USING btree (user_id, purpose) WHERE (ended_at IS NULL);
CREATE TRIGGER sign_in_link_stays BEFORE UPDATE OF id, user_id, token_hash, created_at, expires_at, purpose, email ON public.sign_in_link FOR EACH ROW EXECUTE FUNCTION keep_columns('id', 'user_id', 'token_hash', 'created_at', 'expires_at', 'purpose', 'email');
COMMENT ON TABLE sign_in_link IS 'A link that signs one person in, once. The link holds the token; the table, its SHA-256.';
COMMENT ON COLUMN sign_in_link.ended_at IS 'When it was used, was replaced by a newer link, or its user was deactivated.';
COMMENT ON COLUMN sign_in_link.session_id IS 'The session that it began.';
COMMENT ON COLUMN sign_in_link.purpose IS '`sign_in` begins a session, `sign_up` makes a user, `reset` sets a password first.';
COMMENT ON COLUMN sign_in_link.email IS 'The address that signs up: there is no user yet.';
COMMENT ON COLUMN sign_in_link.user_kind IS 'Constant: with user_id it refers to a person.';

CREATE TABLE spend_limit (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  account_id uuid NOT NULL,
  project_id uuid,
  user_id uuid,
  task_id uuid,
  subject text GENERATED ALWAYS AS (
CASE
    WHEN (project_id IS NOT NULL) THEN 'project'::text
    WHEN (user_id IS NOT NULL) THEN 'member'::text
    WHEN (task_id IS NOT NULL) THEN 'task'::text
    ELSE 'balance'::text
END) STORED NOT NULL,
  subject_id uuid GENERATED ALWAYS AS (COALESCE(project_id, user_id, task_id)) STORED,
  amount bigint NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  warned_in date,
  reached_in date,
  CONSTRAINT spend_limit_pkey PRIMARY KEY (id),
  CONSTRAINT spend_limit_is_one_row UNIQUE NULLS NOT DISTINCT (account_id, subject_id),
  CONSTRAINT spend_limit_amount_check CHECK (((amount >= 1) AND (amount <= '1000000000000'::bigint))),
  CONSTRAINT spend_limit_has_one_subject CHECK ((num_nonnulls(project_id, user_id, task_id) <= 1)),
  CONSTRAINT spend_limit_account_id_fkey FOREIGN KEY (account_id) REFERENCES billing_account(id),
  CONSTRAINT spend_limit_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE,
  CONSTRAINT spend_limit_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE,
  CONSTRAINT spend_limit_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX spend_limit_of_project ON public.spend_limit USING btree (project_id);
CREATE INDEX spend_limit_of_task ON public.spend_limit USING btree (task_id);
CREATE INDEX spend_limit_of_user ON public.spend_limit USING btree (user_id);
COMMENT ON TABLE spend_limit IS 'What may be spent of a balance in a calendar month (UTC): as a whole, for a project, for what a person asked for, or for a task. Whoever reads what is left, or changes a limit, locks the account.';
COMMENT ON COLUMN spend_limit.project_id IS 'Null, as are the person and the task, for the whole balance.';
COMMENT ON COLUMN spend_limit.amount IS 'Micro-USD.';
COMMENT ON COLUMN spend_limit.warned_in IS 'The first day of the month for which four fifths of this amount were found to be spent.';
COMMENT ON COLUMN spend_limit.reached_in IS 'The same for all of it.';

CREATE TABLE spend_limit_warning (
  id uuid DEFAULT uuid_v7() NOT NULL,
  limit_id uuid NOT NULL,
  user_id uuid NOT NULL,
  month date NOT NULL,
  level text NOT NULL,
  amount bigint NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  account_id uuid NOT NULL,
  subject_id uuid,
  CONSTRAINT spend_limit_warning_pkey PRIMARY KEY (id),
  CONSTRAINT spend_limit_warning_once UNIQUE NULLS NOT DISTINCT (account_id, subject_id, month, level, amount, user_id),
  CONSTRAINT spend_limit_warning_amount_check CHECK ((amount > 0)),
  CONSTRAINT spend_limit_warning_level_check CHECK ((level = ANY (ARRAY['warned'::text, 'reached'::text]))),
  CONSTRAINT spend_limit_warning_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  CONSTRAINT spend_limit_warning_account_id_fkey FOREIGN KEY (account_id) REFERENCES billing_account(id),
  CONSTRAINT spend_limit_warning_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX spend_limit_warning_of_user ON public.spend_limit_warning USING btree (user_id);
CREATE TRIGGER spend_limit_warning_has_its_place BEFORE INSERT ON public.spend_limit_warning FOR EACH ROW EXECUTE FUNCTION place_spend_limit_warning();
COMMENT ON TABLE spend_limit_warning IS 'Mail about a limit to one person, once for each month, level and amount: the subject of the mail. It stays when the limit is removed.';
COMMENT ON COLUMN spend_limit_warning.limit_id IS 'The limit as it was then; it may be gone.';
COMMENT ON COLUMN spend_limit_warning.account_id IS 'The balance of the limit, by a trigger.';
COMMENT ON COLUMN spend_limit_warning.subject_id IS 'What the limit is on, by a trigger: a project, a person or a task; null for the whole balance.';

CREATE TABLE task (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  project_id uuid NOT NULL,
  title text NOT NULL,
  created_by_user_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  status text DEFAULT 'ready'::text NOT NULL,
  status_reason text,
  model text,
  spend_cap bigint,
  archived_at timestamp with time zone,
  fence bigint DEFAULT 0 NOT NULL,
  last_turn integer DEFAULT 0 NOT NULL,
  last_message integer DEFAULT 0 NOT NULL,
  base text,
  routine_id uuid,
  conversation_removed_at timestamp with time zone,
  files_removed_at timestamp with time zone,
  files_removed integer DEFAULT 0 NOT NULL,
  CONSTRAINT task_pkey PRIMARY KEY (id),
  CONSTRAINT task_base_is_branch CHECK ((is_chosen_branch(base) AND (base !~~ 'task/%'::text))),
  CONSTRAINT task_files_removed_check CHECK ((files_removed >= 0)),
  CONSTRAINT task_model_check CHECK (((length(model) >= 1) AND (length(model) <= 100))),
  CONSTRAINT task_spend_cap_check CHECK ((spend_cap > 0)),
  CONSTRAINT task_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'planning'::text, 'awaiting_approval'::text, 'building'::text, 'awaiting_answer'::text, 'paused'::text, 'ready'::text, 'failed'::text, 'cancelled'::text]))),
  CONSTRAINT task_status_reason_fits CHECK (
CASE status
    WHEN 'paused'::text THEN ((status_reason IS NOT NULL) AND (status_reason = ANY (ARRAY['insufficient_funds'::text, 'account_not_active'::text, 'spend_cap'::text, 'spend_limit'::text, 'pod_lost'::text, 'drain'::text])))
    WHEN 'failed'::text THEN ((status_reason IS NOT NULL) AND ((length(status_reason) >= 1) AND (length(status_reason) <= 500)))
    ELSE (status_reason IS NULL)
END),
  CONSTRAINT task_title_check CHECK (((length(title) >= 1) AND (length(title) <= 300))),
  CONSTRAINT task_title_is_name CHECK (is_name(title)),
  CONSTRAINT task_created_by_user_id_fkey FOREIGN KEY (created_by_user_id) REFERENCES app_user(id),
  CONSTRAINT task_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE,
  CONSTRAINT task_routine_id_fkey FOREIGN KEY (routine_id) REFERENCES routine(id) ON DELETE SET NULL
);
CREATE INDEX task_by_creator ON public.task USING btree (project_id, created_by_user_id, created_at DESC, id DESC);
CREATE INDEX task_by_status ON public.task USING btree (project_id, status, created_at DESC, id DESC);
CREATE INDEX task_by_status_changed ON public.task USING btree (project_id, status, updated_at DESC, id DESC) INCLUDE (archived_at);
CREATE INDEX task_changed ON public.task USING btree (project_id, updated_at DESC, id DESC) INCLUDE (status, archived_at, created_by_user_id, model);
CREATE INDEX task_conversation_kept ON public.task USING btree (archived_at) WHERE ((archived_at IS NOT NULL) AND ((conversation_removed_at IS NULL) OR (conversation_removed_at < archived_at)));
CREATE INDEX task_created_by ON public.task USING btree (created_by_user_id);
CREATE INDEX task_files_kept ON public.task USING btree (archived_at) WHERE ((archived_at IS NOT NULL) AND ((files_removed_at IS NULL) OR (files_removed_at < archived_at)));
CREATE INDEX task_newest ON public.task USING btree (project_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX task_of_project ON public.task USING btree (id, project_id);
CREATE INDEX task_of_routine ON public.task USING btree (routine_id);
CREATE INDEX task_paused ON public.task USING btree (status_reason, id) WHERE (status = 'paused'::text);
CREATE INDEX task_title_search ON public.task USING gin (lower(title) gin_trgm_ops);
CREATE INDEX task_title_words ON public.task USING gin (to_tsvector('simple'::regconfig, regexp_replace(title, '[!-/:-@[-`{-~]'::text, ' '::text, 'g'::text)));
CREATE TRIGGER task_changed_for_webhooks AFTER UPDATE OF status ON public.task FOR EACH ROW WHEN (((old.status <> new.status) AND (new.status = ANY (ARRAY['awaiting_approval'::text, 'ready'::text, 'failed'::text, 'paused'::text, 'cancelled'::text])))) EXECUTE FUNCTION webhook_on_task();
CREATE TRIGGER task_changed_is_noted AFTER UPDATE ON public.task FOR EACH ROW WHEN ((old.updated_at IS DISTINCT FROM new.updated_at)) EXECUTE FUNCTION note_task_change();
CREATE TRIGGER task_created_for_webhooks AFTER INSERT ON public.task FOR EACH ROW EXECUTE FUNCTION webhook_on_task();
CREATE TRIGGER task_created_is_noted AFTER INSERT ON public.task FOR EACH ROW EXECUTE FUNCTION note_task_change();
CREATE TRIGGER task_deleted_is_noted AFTER DELETE ON public.task REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_task_deletion();
CREATE TRIGGER task_ended AFTER UPDATE OF status ON public.task FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) AND ((new.status = ANY (ARRAY['ready'::text, 'failed'::text])) OR (old.status = ANY (ARRAY['ready'::text, 'failed'::text]))))) EXECUTE FUNCTION note_task_outcome();
CREATE TRIGGER task_pauses AFTER UPDATE OF status ON public.task FOR EACH ROW WHEN (((old.status = 'paused'::text) <> (new.status = 'paused'::text))) EXECUTE FUNCTION pause_turns();
CREATE TRIGGER task_stays BEFORE UPDATE OF project_id ON public.task FOR EACH ROW EXECUTE FUNCTION keep_columns('project_id');
CREATE TRIGGER task_touched BEFORE UPDATE OF title, status, status_reason, model, spend_cap, archived_at ON public.task FOR EACH ROW WHEN (((((((old.title IS DISTINCT FROM new.title) OR (old.status IS DISTINCT FROM new.status)) OR (old.status_reason IS DISTINCT FROM new.status_reason)) OR (old.model IS DISTINCT FROM new.model)) OR (old.spend_cap IS DISTINCT FROM new.spend_cap)) OR (old.archived_at IS DISTINCT FROM new.archived_at))) EXECUTE FUNCTION touch_task();
CREATE TRIGGER task_transition BEFORE UPDATE OF status ON public.task FOR EACH ROW EXECUTE FUNCTION check_task_transition();
COMMENT ON TABLE task IS 'One conversation with an agent inside a project.';
COMMENT ON COLUMN task.status IS 'An approved plan whose start is not claimed yet leaves it awaiting_approval; it is shown as queued.';
COMMENT ON COLUMN task.status_reason IS 'Why it is paused (a code) or failed (a sentence).';
COMMENT ON COLUMN task.model IS 'Null is the default of the project.';
COMMENT ON COLUMN task.spend_cap IS 'Micro-USD that the task may cost in all.';
COMMENT ON COLUMN task.archived_at IS 'Archived tasks are left out of lists.';
COMMENT ON COLUMN task.fence IS 'Grows with each claim of a turn: whoever writes for the task names it, and an older one is refused.';
COMMENT ON COLUMN task.last_turn IS 'The number of its newest turn; 0 before the first.';
COMMENT ON COLUMN task.last_message IS 'The number of its newest message; 0 before the first.';
COMMENT ON COLUMN task.base IS 'The branch that its own begins with and is to be merged into; null for the default one.';
COMMENT ON COLUMN task.routine_id IS 'The routine that began it.';
COMMENT ON COLUMN task.conversation_removed_at IS 'When messages, texts of plans, comments and questions were removed because the task had been archived for long.';
COMMENT ON COLUMN task.files_removed_at IS 'When attachments and artifacts were removed for that reason, if there were any.';
COMMENT ON COLUMN task.files_removed IS 'How many files that were, in all.';

CREATE TABLE task_change (
  transaction_id xid8 DEFAULT pg_current_xact_id() NOT NULL,
  object_id uuid NOT NULL,
  project_id uuid NOT NULL,
  noted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT task_change_pkey PRIMARY KEY (transaction_id, object_id)
);
COMMENT ON TABLE task_change IS 'What lists of tasks show of a task has changed, or the task was deleted. Every process with a stream of such changes reads the rows of transactions that it has not seen each second; they are kept for an hour.';
COMMENT ON COLUMN task_change.transaction_id IS 'Transactions do not commit in the order of their numbers: what a reader has not seen is what its snapshot did not contain.';
COMMENT ON COLUMN task_change.object_id IS 'The task, or the project itself, of which every task may have changed. Not a foreign key: a note waits for no lock, and outlives what it is about.';

CREATE TABLE task_event (
  task_id uuid NOT NULL,
  seq bigint NOT NULL,
  turn_id uuid,
  type text NOT NULL,
  payload text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT task_event_pkey PRIMARY KEY (task_id, seq),
  CONSTRAINT task_event_payload_check CHECK ((octet_length(payload) <= 262144)),
  CONSTRAINT task_event_seq_check CHECK ((seq > 0)),
  CONSTRAINT task_event_type_check CHECK (((length(type) >= 1) AND (length(type) <= 50)))
);
COMMENT ON TABLE task_event IS 'What a task''s agent did, numbered per task without a gap. Rows are never changed; the oldest are deleted.';
COMMENT ON COLUMN task_event.payload IS 'JSON as text: jsonb takes no U+0000, which programs print, and costs more to read.';

CREATE TABLE task_event_outbox (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  task_id uuid NOT NULL,
  noted_at timestamp with time zone NOT NULL,
  type text NOT NULL,
  payload json NOT NULL,
  log_seq bigint,
  not_before timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT task_event_outbox_pkey PRIMARY KEY (id),
  CONSTRAINT task_event_outbox_log_seq_check CHECK ((log_seq >= 0)),
  CONSTRAINT task_event_outbox_type_check CHECK (((length(type) >= 1) AND (length(type) <= 50)))
);
CREATE INDEX task_event_outbox_of_task ON public.task_event_outbox USING btree (task_id, noted_at);
COMMENT ON TABLE task_event_outbox IS 'Events of tasks that a worker has yet to append to the log, which is never in one transaction with this database. Triggers write them with the change that they are about.';
COMMENT ON COLUMN task_event_outbox.task_id IS 'No foreign key: a change of a check must not wait for the row of its task, which may be about to be deleted with the check.';
COMMENT ON COLUMN task_event_outbox.noted_at IS 'Their order within a task: later than that of all that could be seen.';
COMMENT ON COLUMN task_event_outbox.log_seq IS 'The newest event of the log before a worker first tried to append it: it is among those that follow, or nowhere.';
COMMENT ON COLUMN task_event_outbox.not_before IS 'When a worker may append it while no turn of the task is at work: a while later once one has begun.';

CREATE TABLE task_log (
  task_id uuid NOT NULL,
  last_seq bigint DEFAULT 0 NOT NULL,
  first_seq bigint DEFAULT 1 NOT NULL,
  fence bigint NOT NULL,
  owner text NOT NULL,
  CONSTRAINT task_log_pkey PRIMARY KEY (task_id),
  CONSTRAINT task_log_fence_check CHECK ((fence > 0)),
  CONSTRAINT task_log_first_is_in_reach CHECK (((first_seq >= 1) AND (first_seq <= (last_seq + 1)))),
  CONSTRAINT task_log_last_seq_check CHECK ((last_seq >= 0)),
  CONSTRAINT task_log_owner_check CHECK (((length(owner) >= 1) AND (length(owner) <= 200)))
);
COMMENT ON TABLE task_log IS 'Where the events of a task end. No other table refers to it: it may be in a database of its own.';
COMMENT ON COLUMN task_log.last_seq IS 'The newest event; 0 before the first.';
COMMENT ON COLUMN task_log.first_seq IS 'The oldest event that is still kept.';
COMMENT ON COLUMN task_log.fence IS 'Of task.fence: only a writer that names this one appends.';
COMMENT ON COLUMN task_log.owner IS 'The worker that has the fence.';

CREATE TABLE task_message (
  task_id uuid NOT NULL,
  number integer NOT NULL,
  turn_id uuid,
  role text NOT NULL,
  author_user_id uuid,
  content text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  github_login text,
  gitea_login text,
  CONSTRAINT task_message_pkey PRIMARY KEY (task_id, number),
  CONSTRAINT task_message_content_check CHECK (((length(content) >= 1) AND (length(content) <= 400000))),
  CONSTRAINT task_message_gitea_login_check CHECK (((length(gitea_login) >= 1) AND (length(gitea_login) <= 100))),
  CONSTRAINT task_message_github_login_check CHECK (((length(github_login) >= 1) AND (length(github_login) <= 100))),
  CONSTRAINT task_message_has_author CHECK (((role = 'user'::text) = ((author_user_id IS NOT NULL) OR (github_login IS NOT NULL) OR (gitea_login IS NOT NULL)))),
  CONSTRAINT task_message_number_check CHECK ((number > 0)),
  CONSTRAINT task_message_role_check CHECK ((role = ANY (ARRAY['user'::text, 'agent'::text]))),
  CONSTRAINT task_message_author_user_id_fkey FOREIGN KEY (author_user_id) REFERENCES app_user(id),
  CONSTRAINT task_message_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE,
  CONSTRAINT task_message_turn_id_fkey FOREIGN KEY (turn_id) REFERENCES task_turn(id) ON DELETE CASCADE
);
CREATE INDEX task_message_author ON public.task_message USING btree (author_user_id);
CREATE INDEX task_message_turn ON public.task_message USING btree (turn_id);
CREATE INDEX task_message_words ON public.task_message USING gin (to_tsvector('simple'::regconfig, regexp_replace("left"(content, 100000), '[!-/:-@[-`{-~]'::text, ' '::text, 'g'::text)));
CREATE TRIGGER message_follows AFTER INSERT ON public.task_message FOR EACH ROW WHEN ((new.author_user_id IS NOT NULL)) EXECUTE FUNCTION follow_task();
COMMENT ON TABLE task_message IS 'The conversation, which outlives the events of its turns. A person''s message of a turn that is queued has not been sent.';
COMMENT ON COLUMN task_message.github_login IS 'Who wrote it on GitHub; without an author, someone whose account there is linked to none here.';
COMMENT ON COLUMN task_message.gitea_login IS 'Who wrote it on Gitea or Forgejo, whose accounts are linked to none here.';

CREATE TABLE task_odoo_connection (
  task_id uuid NOT NULL,
  project_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  activated_by_user_id uuid NOT NULL,
  activated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT task_odoo_connection_pkey PRIMARY KEY (task_id, connection_id),
  CONSTRAINT task_odoo_connection_activated_by_user_id_fkey FOREIGN KEY (activated_by_user_id) REFERENCES app_user(id),
  CONSTRAINT task_odoo_connection_of_connection FOREIGN KEY (project_id, connection_id) REFERENCES odoo_connection(project_id, id) ON DELETE CASCADE,
  CONSTRAINT task_odoo_connection_of_task FOREIGN KEY (task_id, project_id) REFERENCES task(id, project_id) ON DELETE CASCADE
);
CREATE INDEX task_odoo_connection_by_connection ON public.task_odoo_connection USING btree (connection_id);
CREATE INDEX task_odoo_connection_by_user ON public.task_odoo_connection USING btree (activated_by_user_id);
COMMENT ON TABLE task_odoo_connection IS 'That the agent of a task may use a connection of its project, through the gateway of the worker.';

CREATE TABLE task_outcome (
  task_id uuid NOT NULL,
  project_id uuid NOT NULL,
  user_id uuid NOT NULL,
  since timestamp with time zone NOT NULL,
  CONSTRAINT task_outcome_pkey PRIMARY KEY (task_id),
  CONSTRAINT task_outcome_of_task FOREIGN KEY (task_id, project_id) REFERENCES task(id, project_id) ON DELETE CASCADE,
  CONSTRAINT task_outcome_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX task_outcome_newest ON public.task_outcome USING btree (project_id, user_id, since DESC, task_id DESC);
CREATE INDEX task_outcome_of_user ON public.task_outcome USING btree (user_id);
COMMENT ON TABLE task_outcome IS 'The tasks that are ready or failed, for whoever began them; those that have been so since before this table are left out.';
COMMENT ON COLUMN task_outcome.user_id IS 'Who began the task.';
COMMENT ON COLUMN task_outcome.since IS 'When it became ready or failed.';

CREATE TABLE task_subscription (
  user_id uuid NOT NULL,
  task_id uuid NOT NULL,
  state text NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT task_subscription_pkey PRIMARY KEY (user_id, task_id),
  CONSTRAINT task_subscription_state_check CHECK ((state = ANY (ARRAY['following'::text, 'unfollowed'::text, 'muted'::text]))),
  CONSTRAINT task_subscription_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE,
  CONSTRAINT task_subscription_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX task_subscription_by_task ON public.task_subscription USING btree (task_id);
CREATE INDEX task_subscription_of_task ON public.task_subscription USING btree (task_id) WHERE (state = 'following'::text);
COMMENT ON TABLE task_subscription IS 'Who follows a task. Without a row, whoever began it does.';
COMMENT ON COLUMN task_subscription.state IS 'unfollowed: told only where they are mentioned or nobody else may approve. muted: told of nothing.';

CREATE TABLE task_turn (
  id uuid DEFAULT uuid_v7() NOT NULL,
  task_id uuid NOT NULL,
  number integer NOT NULL,
  kind text NOT NULL,
  source text NOT NULL,
  prompt text NOT NULL,
  plan_version integer,
  state text DEFAULT 'queued'::text NOT NULL,
  requested_by_user_id uuid,
  account_id uuid,
  owner text,
  attempt integer DEFAULT 0 NOT NULL,
  lease_until timestamp with time zone,
  not_before timestamp with time zone DEFAULT now() NOT NULL,
  deadline_at timestamp with time zone,
  cancel_requested_at timestamp with time zone,
  spent_nano bigint DEFAULT 0 NOT NULL,
  error text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  mode text,
  losses integer DEFAULT 0 NOT NULL,
  published_at timestamp with time zone,
  covered_nano bigint DEFAULT 0 NOT NULL,
  paused boolean DEFAULT false NOT NULL,
  uncovered_nano bigint DEFAULT 0 NOT NULL,
  needed bigint,
  CONSTRAINT task_turn_pkey PRIMARY KEY (id),
  CONSTRAINT task_turn_numbered UNIQUE (task_id, number),
  CONSTRAINT task_turn_source_key UNIQUE (source),
  CONSTRAINT task_turn_attempt_check CHECK ((attempt >= 0)),
  CONSTRAINT task_turn_builds_a_plan CHECK (((kind = 'build'::text) = (plan_version IS NOT NULL))),
  CONSTRAINT task_turn_covered_nano_check CHECK ((covered_nano >= 0)),
  CONSTRAINT task_turn_ends_once CHECK (((state = ANY (ARRAY['done'::text, 'failed'::text, 'cancelled'::text])) = (ended_at IS NOT NULL))),
  CONSTRAINT task_turn_error_check CHECK ((length(error) <= 2000)),
  CONSTRAINT task_turn_is_leased_while_it_runs CHECK (((state = ANY (ARRAY['running'::text, 'waiting'::text])) = ((owner IS NOT NULL) AND (lease_until IS NOT NULL)))),
  CONSTRAINT task_turn_kind_check CHECK ((kind = ANY (ARRAY['plan'::text, 'build'::text, 'prompt'::text]))),
  CONSTRAINT task_turn_losses_check CHECK ((losses >= 0)),
  CONSTRAINT task_turn_mode_check CHECK ((mode = ANY (ARRAY['plan'::text, 'build'::text]))),
  CONSTRAINT task_turn_needed_check CHECK ((needed > 0)),
  CONSTRAINT task_turn_number_check CHECK ((number > 0)),
  CONSTRAINT task_turn_owner_check CHECK (((length(owner) >= 1) AND (length(owner) <= 200))),
  CONSTRAINT task_turn_prompt_check CHECK ((length(prompt) <= 400000)),
  CONSTRAINT task_turn_source_check CHECK (((length(source) >= 1) AND (length(source) <= 200))),
  CONSTRAINT task_turn_spent_nano_check CHECK ((spent_nano >= 0)),
  CONSTRAINT task_turn_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text, 'done'::text, 'failed'::text, 'cancelled'::text, 'interrupted'::text]))),
  CONSTRAINT task_turn_uncovered_nano_check CHECK ((uncovered_nano >= 0)),
  CONSTRAINT task_turn_account_id_fkey FOREIGN KEY (account_id) REFERENCES billing_account(id),
  CONSTRAINT task_turn_of_revision FOREIGN KEY (task_id, plan_version) REFERENCES plan_revision(task_id, version) ON DELETE CASCADE,
  CONSTRAINT task_turn_requested_by_user_id_fkey FOREIGN KEY (requested_by_user_id) REFERENCES app_user(id),
  CONSTRAINT task_turn_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id) ON DELETE CASCADE
);
CREATE INDEX task_turn_account ON public.task_turn USING btree (account_id);
CREATE INDEX task_turn_built ON public.task_turn USING btree (account_id, ended_at) WHERE ((kind = 'build'::text) AND (state = 'done'::text));
CREATE INDEX task_turn_claimable ON public.task_turn USING btree (not_before, id) WHERE ((state = ANY (ARRAY['queued'::text, 'interrupted'::text])) AND (NOT paused));
CREATE INDEX task_turn_due ON public.task_turn USING btree (not_before, id) WHERE (state = ANY (ARRAY['queued'::text, 'interrupted'::text]));
CREATE INDEX task_turn_leased ON public.task_turn USING btree (lease_until) WHERE (state = ANY (ARRAY['running'::text, 'waiting'::text]));
CREATE INDEX task_turn_requested_by ON public.task_turn USING btree (requested_by_user_id);
CREATE INDEX task_turn_revision ON public.task_turn USING btree (task_id, plan_version) WHERE (plan_version IS NOT NULL);
CREATE UNIQUE INDEX task_turn_running ON public.task_turn USING btree (task_id) WHERE (state = ANY (ARRAY['running'::text, 'waiting'::text]));
CREATE INDEX task_turn_unpublished ON public.task_turn USING btree (task_id) WHERE ((state = ANY (ARRAY['done'::text, 'failed'::text, 'cancelled'::text])) AND (published_at IS NULL));
CREATE TRIGGER task_turn_cost_is_noted AFTER UPDATE OF spent_nano ON public.task_turn FOR EACH ROW WHEN ((old.spent_nano IS DISTINCT FROM new.spent_nano)) EXECUTE FUNCTION note_change_of_task();
CREATE TRIGGER task_turn_waits BEFORE INSERT ON public.task_turn FOR EACH ROW EXECUTE FUNCTION pause_new_turn();
COMMENT ON TABLE task_turn IS 'One prompt to the agent and all the work until the agent ends it. At most one of a task runs.';
COMMENT ON COLUMN task_turn.source IS 'What asked for it (a message, an approval, a request for changes): makes it happen once.';
COMMENT ON COLUMN task_turn.plan_version IS 'The approved version that a build turn carries out.';
COMMENT ON COLUMN task_turn.state IS 'waiting: for a person''s answer, with its agent alive. interrupted: free to be taken over.';
COMMENT ON COLUMN task_turn.account_id IS 'The billing account that pays, known once it is claimed.';
COMMENT ON COLUMN task_turn.owner IS 'The worker that runs it, until lease_until.';
COMMENT ON COLUMN task_turn.attempt IS 'How often it was claimed.';
COMMENT ON COLUMN task_turn.spent_nano IS 'Nano-USD that it has cost so far.';
COMMENT ON COLUMN task_turn.mode IS 'What its agent may do, known once it is claimed: plan only reads.';
COMMENT ON COLUMN task_turn.losses IS 'How often its worker vanished; interruptions that a worker announced do not count.';
COMMENT ON COLUMN task_turn.published_at IS 'When the end of the turn was appended to the events of its task.';
COMMENT ON COLUMN task_turn.covered_nano IS 'Nano-USD that spent_nano may reach before the turn needs another hold.';
COMMENT ON COLUMN task_turn.paused IS 'Whether it waits because its task is paused: a copy that triggers keep, for the index of turns that are due.';
COMMENT ON COLUMN task_turn.uncovered_nano IS 'Nano-USD that the agent has reported and that were not charged, because funds or a cap did not cover them.';
COMMENT ON COLUMN task_turn.needed IS 'Micro-USD that must be there for a paused turn to go on; null where any amount will do.';

CREATE TABLE task_worker (
  id uuid NOT NULL,
  fault text,
  confined boolean,
  seen_at timestamp with time zone DEFAULT now() NOT NULL,
  version text,
  host text,
  driver text,
  CONSTRAINT task_worker_pkey PRIMARY KEY (id),
  CONSTRAINT task_worker_driver_check CHECK (((length(driver) >= 1) AND (length(driver) <= 50))),
  CONSTRAINT task_worker_fault_check CHECK ((fault = ANY (ARRAY['worker_unable'::text, 'pods_unavailable'::text]))),
  CONSTRAINT task_worker_host_check CHECK (((length(host) >= 1) AND (length(host) <= 255))),
  CONSTRAINT task_worker_version_check CHECK (((length(version) >= 1) AND (length(version) <= 50)))
);
CREATE INDEX task_worker_seen_at ON public.task_worker USING btree (seen_at);
COMMENT ON TABLE task_worker IS 'A process that carries out tasks, or tries to. It renews its row every ten seconds; one that was not renewed for thirty is gone.';
COMMENT ON COLUMN task_worker.fault IS 'Why it carries out none now; its log has the sentence.';
COMMENT ON COLUMN task_worker.confined IS 'Whether the processes of its pods are kept apart from the machine; not known while it is unable.';
COMMENT ON COLUMN task_worker.version IS 'Of the program; null of one before 0.1.0.';
COMMENT ON COLUMN task_worker.host IS 'What its machine or container calls itself.';
COMMENT ON COLUMN task_worker.driver IS 'What its pods are made of.';

CREATE TABLE team (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  add_to_new_projects boolean DEFAULT false NOT NULL,
  can_create_projects boolean DEFAULT false NOT NULL,
  can_merge_production boolean DEFAULT false NOT NULL,
  can_merge_staging boolean DEFAULT false NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT team_pkey PRIMARY KEY (id),
  CONSTRAINT team_id_organization_id_key UNIQUE (id, organization_id),
  CONSTRAINT team_name_check CHECK ((((length(name) >= 1) AND (length(name) <= 100)) AND (name = btrim(name)))),
  CONSTRAINT team_name_is_name CHECK (is_name(name)),
  CONSTRAINT team_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX team_name_taken ON public.team USING btree (organization_id, name_key(name) COLLATE "C");
COMMENT ON TABLE team IS 'A group of members of a workspace with common permissions.';
COMMENT ON COLUMN team.add_to_new_projects IS 'Projects created from now on get the team; existing ones do not change.';

CREATE TABLE team_member (
  team_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  CONSTRAINT team_member_pkey PRIMARY KEY (team_id, user_id),
  CONSTRAINT team_member_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES membership(organization_id, user_id) ON DELETE CASCADE,
  CONSTRAINT team_member_team_id_organization_id_fkey FOREIGN KEY (team_id, organization_id) REFERENCES team(id, organization_id) ON DELETE CASCADE
);
CREATE INDEX team_member_membership ON public.team_member USING btree (organization_id, user_id);
COMMENT ON TABLE team_member IS 'Who is in a team. Ends with the membership in the workspace.';

CREATE TABLE team_project (
  team_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  project_id uuid NOT NULL,
  CONSTRAINT team_project_pkey PRIMARY KEY (team_id, project_id),
  CONSTRAINT team_project_of_project FOREIGN KEY (project_id, organization_id) REFERENCES project(id, organization_id) ON DELETE CASCADE,
  CONSTRAINT team_project_team_id_organization_id_fkey FOREIGN KEY (team_id, organization_id) REFERENCES team(id, organization_id) ON DELETE CASCADE
);
CREATE INDEX team_project_project ON public.team_project USING btree (project_id, organization_id);
COMMENT ON TABLE team_project IS 'The projects of a team.';

CREATE TABLE top_up (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  account_id uuid NOT NULL,
  user_id uuid NOT NULL,
  key_id uuid,
  request_id text NOT NULL,
  payment_method_id text NOT NULL,
  amount bigint NOT NULL,
  status text DEFAULT 'created'::text NOT NULL,
  client_key text,
  processor_id text,
  failure_code text,
  decline_code text,
  refunded bigint DEFAULT 0 NOT NULL,
  disputed bigint DEFAULT 0 NOT NULL,
  checks integer DEFAULT 0 NOT NULL,
  next_check_at timestamp with time zone DEFAULT (now() + '00:00:15'::interval),
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  look bigint DEFAULT 0 NOT NULL,
  automatic boolean DEFAULT false NOT NULL,
  processor text NOT NULL,
  CONSTRAINT top_up_pkey PRIMARY KEY (id),
  CONSTRAINT top_up_processor_id_key UNIQUE (processor_id),
  CONSTRAINT top_up_user_id_client_key_key UNIQUE (user_id, client_key),
  CONSTRAINT top_up_amount_check CHECK ((amount > 0)),
  CONSTRAINT top_up_charged_has_processor_id CHECK (((status = ANY (ARRAY['created'::text, 'failed'::text])) OR (processor_id IS NOT NULL))),
  CONSTRAINT top_up_client_key_check CHECK (((length(client_key) >= 1) AND (length(client_key) <= 255))),
  CONSTRAINT top_up_disputed_check CHECK ((disputed >= 0)),
  CONSTRAINT top_up_failed_has_code CHECK (((status = 'failed'::text) = (failure_code IS NOT NULL))),
  CONSTRAINT top_up_open_is_checked CHECK (((status <> ALL (ARRAY['created'::text, 'processing'::text])) OR (next_check_at IS NOT NULL))),
  CONSTRAINT top_up_processor_check CHECK ((processor = ANY (ARRAY['stripe'::text, 'sandbox'::text]))),
  CONSTRAINT top_up_refunded_check CHECK ((refunded >= 0)),
  CONSTRAINT top_up_status_check CHECK ((status = ANY (ARRAY['created'::text, 'processing'::text, 'succeeded'::text, 'failed'::text, 'partially_refunded'::text, 'refunded'::text, 'disputed'::text]))),
  CONSTRAINT top_up_account_id_fkey FOREIGN KEY (account_id) REFERENCES billing_account(id),
  CONSTRAINT top_up_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(id),
  CONSTRAINT top_up_payment_method_id_fkey FOREIGN KEY (payment_method_id) REFERENCES payment_method(id),
  CONSTRAINT top_up_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX top_up_account ON public.top_up USING btree (account_id);
CREATE INDEX top_up_automatic ON public.top_up USING btree (account_id) WHERE automatic;
CREATE INDEX top_up_due ON public.top_up USING btree (next_check_at) WHERE (status = ANY (ARRAY['created'::text, 'processing'::text]));
CREATE UNIQUE INDEX top_up_one_automatic ON public.top_up USING btree (account_id) WHERE (automatic AND (status = ANY (ARRAY['created'::text, 'processing'::text])));
CREATE UNIQUE INDEX top_up_one_open ON public.top_up USING btree (account_id, payment_method_id, amount) WHERE ((status = ANY (ARRAY['created'::text, 'processing'::text])) AND (client_key IS NULL));
CREATE TRIGGER top_up_ended_for_webhooks AFTER UPDATE OF status ON public.top_up FOR EACH ROW WHEN (((old.status = ANY (ARRAY['created'::text, 'processing'::text])) AND (new.status = ANY (ARRAY['succeeded'::text, 'failed'::text])))) EXECUTE FUNCTION webhook_on_top_up();
CREATE TRIGGER top_up_is_no_test_money BEFORE INSERT ON public.top_up FOR EACH ROW EXECUTE FUNCTION check_new_top_up();
CREATE TRIGGER top_up_keeps_its_request BEFORE UPDATE OF id, account_id, user_id, key_id, request_id, payment_method_id, amount, processor ON public.top_up FOR EACH ROW EXECUTE FUNCTION keep_columns('id', 'account_id', 'user_id', 'key_id', 'request_id', 'payment_method_id', 'amount', 'processor');
CREATE TRIGGER top_up_transition BEFORE UPDATE OF status ON public.top_up FOR EACH ROW EXECUTE FUNCTION check_top_up_transition();
COMMENT ON TABLE top_up IS 'One attempt to charge a card and credit a balance, stored before the processor is asked.';
COMMENT ON COLUMN top_up.user_id IS 'Who asked for it and whose card is charged.';
COMMENT ON COLUMN top_up.client_key IS 'The Idempotency-Key of the request.';
COMMENT ON COLUMN top_up.processor_id IS 'The card processor''s id of the charge.';
COMMENT ON COLUMN top_up.refunded IS 'Micro-USD that went back to the card; more than the amount where the processor took more.';
COMMENT ON COLUMN top_up.disputed IS 'Micro-USD that disputes hold back now.';
COMMENT ON COLUMN top_up.checks IS 'How often the processor was asked for the outcome.';
COMMENT ON COLUMN top_up.next_check_at IS 'When the processor is asked next; null when nothing is left to ask.';
COMMENT ON COLUMN top_up.look IS 'Counts the questions to the processor: only the answer to the last one is applied.';
COMMENT ON COLUMN top_up.automatic IS 'Started by auto-reload.';

CREATE TABLE top_up_cancellation (
  top_up_id uuid NOT NULL,
  key_id uuid,
  session_id uuid,
  request_id text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT top_up_cancellation_pkey PRIMARY KEY (top_up_id),
  CONSTRAINT top_up_cancellation_top_up_id_fkey FOREIGN KEY (top_up_id) REFERENCES top_up(id)
);
COMMENT ON TABLE top_up_cancellation IS 'Charges that their person has asked to cancel: whoever learns that one is cancelled records it as that person''s act. By then it may also have succeeded. Like the audit trail, without foreign keys to keys and sessions.';
COMMENT ON COLUMN top_up_cancellation.request_id IS 'With the key or session, for the audit trail.';

CREATE TABLE top_up_session (
  top_up_id uuid NOT NULL,
  session_id uuid NOT NULL,
  CONSTRAINT top_up_session_pkey PRIMARY KEY (top_up_id),
  CONSTRAINT top_up_session_session_id_fkey FOREIGN KEY (session_id) REFERENCES session(id),
  CONSTRAINT top_up_session_top_up_id_fkey FOREIGN KEY (top_up_id) REFERENCES top_up(id)
);
CREATE INDEX top_up_session_session ON public.top_up_session USING btree (session_id);
COMMENT ON TABLE top_up_session IS 'Which browser session asked for a charge. Charges by keys and automatic ones have no row.';

CREATE TABLE totp (
  user_id uuid NOT NULL,
  secret bytea NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  confirmed_at timestamp with time zone,
  last_step bigint DEFAULT 0 NOT NULL,
  key_id text,
  user_kind text DEFAULT 'person'::text NOT NULL,
  CONSTRAINT totp_pkey PRIMARY KEY (user_id),
  CONSTRAINT totp_key_id_check CHECK ((length(key_id) = 16)),
  CONSTRAINT totp_user_kind_check CHECK ((user_kind = 'person'::text)),
  CONSTRAINT totp_of_person FOREIGN KEY (user_id, user_kind) REFERENCES app_user(id, kind),
  CONSTRAINT totp_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
COMMENT ON TABLE totp IS 'An authenticator app of a person: a factor once its first code was confirmed.';
COMMENT ON COLUMN totp.secret IS 'AES-256-GCM by a key that is derived from the server''s secret: nonce, ciphertext and tag.';
COMMENT ON COLUMN totp.last_step IS 'The time step of the last code that was accepted: neither it nor an earlier one works again.';
COMMENT ON COLUMN totp.key_id IS 'Which key of the servers opens the secret; null if it was not noted, and any may.';
COMMENT ON COLUMN totp.user_kind IS 'Constant: with user_id it refers to a person.';

CREATE TABLE usage_day (
  id uuid DEFAULT uuid_v7() NOT NULL,
  account_id uuid NOT NULL,
  day date NOT NULL,
  kind text NOT NULL,
  task_id uuid,
  project_id uuid,
  organization_id uuid,
  user_id uuid,
  model text,
  amount bigint NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  pod_seconds bigint NOT NULL,
  events bigint NOT NULL,
  CONSTRAINT usage_day_pkey PRIMARY KEY (id),
  CONSTRAINT usage_day_is_one_row UNIQUE NULLS NOT DISTINCT (account_id, day, task_id, kind, model, user_id, project_id, organization_id),
  CONSTRAINT usage_day_amount_check CHECK ((amount >= 0)),
  CONSTRAINT usage_day_events_check CHECK ((events > 0)),
  CONSTRAINT usage_day_input_tokens_check CHECK ((input_tokens >= 0)),
  CONSTRAINT usage_day_output_tokens_check CHECK ((output_tokens >= 0)),
  CONSTRAINT usage_day_pod_seconds_check CHECK ((pod_seconds >= 0)),
  CONSTRAINT usage_day_account_id_fkey FOREIGN KEY (account_id) REFERENCES billing_account(id)
);
CREATE INDEX usage_day_of_project ON public.usage_day USING btree (project_id, day);
CREATE INDEX usage_day_of_task ON public.usage_day USING btree (task_id, day);
CREATE INDEX usage_day_of_user ON public.usage_day USING btree (user_id, day);
CREATE TRIGGER usage_day_no_delete BEFORE DELETE ON public.usage_day FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER usage_day_no_truncate BEFORE TRUNCATE ON public.usage_day FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
COMMENT ON TABLE usage_day IS 'The sums of usage_event by day and by everything that usage is grouped by. Only its trigger writes.';
COMMENT ON COLUMN usage_day.day IS 'In UTC, of occurred_at.';
COMMENT ON COLUMN usage_day.amount IS 'Nano-USD.';

CREATE TABLE usage_event (
  id uuid DEFAULT uuid_v7() NOT NULL,
  account_id uuid NOT NULL,
  idempotency_key text NOT NULL,
  amount bigint NOT NULL,
  reference_type text NOT NULL,
  reference_id uuid NOT NULL,
  occurred_at timestamp with time zone NOT NULL,
  recorded_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  settlement_id uuid,
  kind text DEFAULT 'model'::text NOT NULL,
  task_id uuid,
  project_id uuid,
  organization_id uuid,
  user_id uuid,
  model text,
  input_tokens bigint,
  output_tokens bigint,
  pod_seconds bigint,
  charged boolean DEFAULT true NOT NULL,
  CONSTRAINT usage_event_pkey PRIMARY KEY (id),
  CONSTRAINT usage_event_idempotency_key_key UNIQUE (idempotency_key),
  CONSTRAINT usage_event_amount_check CHECK (((amount >= 0) AND (amount <= '100000000000000'::bigint))),
  CONSTRAINT usage_event_counts_something CHECK ((COALESCE(GREATEST(amount, input_tokens, output_tokens, pod_seconds), (0)::bigint) > 0)),
  CONSTRAINT usage_event_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 200))),
  CONSTRAINT usage_event_input_tokens_check CHECK ((input_tokens >= 0)),
  CONSTRAINT usage_event_kind_check CHECK ((kind = ANY (ARRAY['model'::text, 'pod'::text, 'erp_instance'::text]))),
  CONSTRAINT usage_event_model_check CHECK (((length(model) >= 1) AND (length(model) <= 100))),
  CONSTRAINT usage_event_output_tokens_check CHECK ((output_tokens >= 0)),
  CONSTRAINT usage_event_pod_seconds_check CHECK ((pod_seconds >= 0)),
  CONSTRAINT usage_event_reference_type_check CHECK (((length(reference_type) >= 1) AND (length(reference_type) <= 50))),
  CONSTRAINT usage_event_account_id_fkey FOREIGN KEY (account_id) REFERENCES billing_account(id),
  CONSTRAINT usage_event_settlement_id_account_id_fkey FOREIGN KEY (settlement_id, account_id) REFERENCES usage_settlement(id, account_id)
);
CREATE INDEX usage_event_of_account ON public.usage_event USING btree (account_id, occurred_at, id);
CREATE INDEX usage_event_of_project ON public.usage_event USING btree (project_id, occurred_at, id);
CREATE INDEX usage_event_of_task ON public.usage_event USING btree (task_id, occurred_at, id);
CREATE INDEX usage_event_of_user ON public.usage_event USING btree (user_id, occurred_at, id);
CREATE INDEX usage_event_settlement ON public.usage_event USING btree (settlement_id);
CREATE INDEX usage_event_unsettled ON public.usage_event USING btree (account_id, occurred_at, id) WHERE ((settlement_id IS NULL) AND charged);
CREATE TRIGGER usage_event_adds_to_day AFTER INSERT ON public.usage_event REFERENCING NEW TABLE AS recorded FOR EACH STATEMENT EXECUTE FUNCTION add_usage_to_day();
CREATE TRIGGER usage_event_check BEFORE UPDATE ON public.usage_event FOR EACH ROW EXECUTE FUNCTION check_usage_event();
CREATE TRIGGER usage_event_is_marked BEFORE INSERT ON public.usage_event FOR EACH ROW EXECUTE FUNCTION mark_usage();
CREATE TRIGGER usage_event_is_settled_whole AFTER UPDATE ON public.usage_event REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION check_settled_total();
CREATE TRIGGER usage_event_no_delete BEFORE DELETE ON public.usage_event FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER usage_event_no_truncate BEFORE TRUNCATE ON public.usage_event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
COMMENT ON TABLE usage_event IS 'One thing that was used. Settled once, with many others.';
COMMENT ON COLUMN usage_event.amount IS 'Nano-USD: a token costs less than a micro-USD. The limit keeps the sum of a batch within a posting.';
COMMENT ON COLUMN usage_event.task_id IS 'Copied, as are the project, the workspace and the person: they may be deleted later. Null where nothing says.';
COMMENT ON COLUMN usage_event.organization_id IS 'The workspace whose account pays; null for a person''s.';
COMMENT ON COLUMN usage_event.user_id IS 'Who asked for the work: the turn, or else the task.';
COMMENT ON COLUMN usage_event.input_tokens IS 'With those of the cache. Null where nothing was reported.';
COMMENT ON COLUMN usage_event.charged IS 'False for what was used while BILLING was off: it is never settled.';

CREATE TABLE usage_settlement (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  account_id uuid NOT NULL,
  number bigint NOT NULL,
  previous_number bigint GENERATED ALWAYS AS (NULLIF((number - 1), 0)) STORED,
  events integer NOT NULL,
  total_nano bigint NOT NULL,
  carried_in smallint NOT NULL,
  carried_out smallint NOT NULL,
  micro bigint NOT NULL,
  transfer_key text GENERATED ALWAYS AS (
CASE
    WHEN (micro > 0) THEN ('usage:'::text || id)
    ELSE NULL::text
END) STORED,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT usage_settlement_pkey PRIMARY KEY (id),
  CONSTRAINT usage_settlement_account_id_number_carried_out_key UNIQUE (account_id, number, carried_out),
  CONSTRAINT usage_settlement_account_id_number_key UNIQUE (account_id, number),
  CONSTRAINT usage_settlement_id_account_id_key UNIQUE (id, account_id),
  CONSTRAINT usage_settlement_adds_up CHECK (((carried_in + total_nano) = ((micro * 1000) + carried_out))),
  CONSTRAINT usage_settlement_carried_in_check CHECK (((carried_in >= 0) AND (carried_in <= 999))),
  CONSTRAINT usage_settlement_carried_out_check CHECK (((carried_out >= 0) AND (carried_out <= 999))),
  CONSTRAINT usage_settlement_events_check CHECK ((events > 0)),
  CONSTRAINT usage_settlement_first_carries_nothing_in CHECK (((number > 1) OR (carried_in = 0))),
  CONSTRAINT usage_settlement_micro_check CHECK ((micro >= 0)),
  CONSTRAINT usage_settlement_number_check CHECK ((number > 0)),
  CONSTRAINT usage_settlement_total_nano_check CHECK ((total_nano >= 0)),
  CONSTRAINT usage_settlement_account_id_fkey FOREIGN KEY (account_id) REFERENCES billing_account(id),
  CONSTRAINT usage_settlement_follows_the_previous FOREIGN KEY (account_id, previous_number, carried_in) REFERENCES usage_settlement(account_id, number, carried_out),
  CONSTRAINT usage_settlement_transfer_key_fkey FOREIGN KEY (transfer_key) REFERENCES ledger_transfer(idempotency_key) DEFERRABLE INITIALLY DEFERRED
);
CREATE TRIGGER usage_settlement_insert_only BEFORE DELETE OR UPDATE ON public.usage_settlement FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER usage_settlement_no_truncate BEFORE TRUNCATE ON public.usage_settlement FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
COMMENT ON TABLE usage_settlement IS 'Charges pending usage events of an account with one posting. Insert-only.';
COMMENT ON COLUMN usage_settlement.number IS 'Numbers the settlements of the account without a gap.';
COMMENT ON COLUMN usage_settlement.total_nano IS 'Nano-USD: the sum of the events.';
COMMENT ON COLUMN usage_settlement.carried_in IS 'Nano-USD below one micro-USD that the previous settlement left.';
COMMENT ON COLUMN usage_settlement.carried_out IS 'Nano-USD below one micro-USD that the next settlement takes.';
COMMENT ON COLUMN usage_settlement.micro IS 'What was charged. Without a posting when it is 0.';

CREATE TABLE webhook_delivery (
  id uuid DEFAULT uuid_v7() NOT NULL,
  endpoint_id uuid NOT NULL,
  type text NOT NULL,
  project_id uuid,
  task_id uuid,
  body text NOT NULL,
  noted_at timestamp with time zone NOT NULL,
  state text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp with time zone,
  status integer,
  answer text,
  error text,
  duration_ms integer,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT webhook_delivery_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_delivery_answer_check CHECK ((length(answer) <= 1000)),
  CONSTRAINT webhook_delivery_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT webhook_delivery_body_check CHECK (((length(body) >= 1) AND (length(body) <= 262144))),
  CONSTRAINT webhook_delivery_due CHECK (((state = 'waiting'::text) = (next_attempt_at IS NOT NULL))),
  CONSTRAINT webhook_delivery_duration_ms_check CHECK ((duration_ms >= 0)),
  CONSTRAINT webhook_delivery_ended CHECK (((state = ANY (ARRAY['delivered'::text, 'failed'::text])) = (ended_at IS NOT NULL))),
  CONSTRAINT webhook_delivery_error_check CHECK (((length(error) >= 1) AND (length(error) <= 500))),
  CONSTRAINT webhook_delivery_state_check CHECK ((state = ANY (ARRAY['blocked'::text, 'waiting'::text, 'delivered'::text, 'failed'::text]))),
  CONSTRAINT webhook_delivery_status_check CHECK (((status >= 100) AND (status <= 999))),
  CONSTRAINT webhook_delivery_type_check CHECK (((length(type) >= 1) AND (length(type) <= 50))),
  CONSTRAINT webhook_delivery_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoint(id) ON DELETE CASCADE
);
CREATE INDEX webhook_delivery_due ON public.webhook_delivery USING btree (endpoint_id, next_attempt_at) WHERE (state = 'waiting'::text);
CREATE INDEX webhook_delivery_failed ON public.webhook_delivery USING btree (created_at DESC, id DESC) WHERE (state = 'failed'::text);
CREATE INDEX webhook_delivery_in_order ON public.webhook_delivery USING btree (endpoint_id, task_id, noted_at) WHERE (state = ANY (ARRAY['blocked'::text, 'waiting'::text]));
CREATE INDEX webhook_delivery_of_endpoint ON public.webhook_delivery USING btree (endpoint_id, created_at, id);
CREATE INDEX webhook_delivery_old ON public.webhook_delivery USING btree (created_at);
COMMENT ON TABLE webhook_delivery IS 'One event for one endpoint. Its id is the webhook-id of every attempt.';
COMMENT ON COLUMN webhook_delivery.project_id IS 'Where the event happened; null outside of projects.';
COMMENT ON COLUMN webhook_delivery.state IS 'blocked: an earlier one about the same task has not ended.';
COMMENT ON COLUMN webhook_delivery.answer IS 'The first characters of the last answer.';
COMMENT ON COLUMN webhook_delivery.error IS 'Why the last attempt had no answer.';

CREATE TABLE webhook_endpoint (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  organization_id uuid,
  project_id uuid,
  name text NOT NULL,
  kind text NOT NULL,
  url text NOT NULL,
  event_types text[] NOT NULL,
  sealed bytea NOT NULL,
  sealed_key_id text NOT NULL,
  overlap_until timestamp with time zone,
  enabled boolean DEFAULT true NOT NULL,
  disabled_reason text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  updated_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT webhook_endpoint_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_endpoint_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['failing'::text, 'gone'::text]))),
  CONSTRAINT webhook_endpoint_event_types_check CHECK ((((cardinality(event_types) >= 1) AND (cardinality(event_types) <= 50)) AND (array_position(event_types, NULL::text) IS NULL))),
  CONSTRAINT webhook_endpoint_is_of_one_thing CHECK ((num_nonnulls(organization_id, project_id) = 1)),
  CONSTRAINT webhook_endpoint_kind_check CHECK ((kind = ANY (ARRAY['standard'::text, 'slack'::text, 'discord'::text, 'audit'::text]))),
  CONSTRAINT webhook_endpoint_kind_has_types CHECK ((((kind = 'audit'::text) = (event_types = ARRAY['audit.recorded'::text])) AND ((kind = 'audit'::text) OR ('audit.recorded'::text <> ALL (event_types))))),
  CONSTRAINT webhook_endpoint_name_check CHECK ((((length(name) >= 1) AND (length(name) <= 100)) AND is_name(name))),
  CONSTRAINT webhook_endpoint_reason_of_disabled CHECK (((NOT enabled) OR (disabled_reason IS NULL))),
  CONSTRAINT webhook_endpoint_sealed_check CHECK (((octet_length(sealed) >= 32) AND (octet_length(sealed) <= 16384))),
  CONSTRAINT webhook_endpoint_sealed_key_id_check CHECK ((length(sealed_key_id) = 16)),
  CONSTRAINT webhook_endpoint_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2000))),
  CONSTRAINT webhook_endpoint_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id) ON DELETE CASCADE,
  CONSTRAINT webhook_endpoint_project_id_fkey FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE
);
CREATE INDEX webhook_endpoint_of_project ON public.webhook_endpoint USING btree (project_id);
CREATE INDEX webhook_endpoint_of_workspace ON public.webhook_endpoint USING btree (organization_id);
COMMENT ON TABLE webhook_endpoint IS 'An address that events of a workspace, with those of its projects, or of one project are sent to.';
COMMENT ON COLUMN webhook_endpoint.url IS 'What is shown of the address: without its query, and for Slack and Discord without its path.';
COMMENT ON COLUMN webhook_endpoint.sealed IS 'AES-256-GCM: the whole address, the secret that signs, and the one before; bound to the row.';
COMMENT ON COLUMN webhook_endpoint.sealed_key_id IS 'Which key of the servers opens it.';
COMMENT ON COLUMN webhook_endpoint.overlap_until IS 'Until then the secret before signs, too, because the secret was replaced.';
COMMENT ON COLUMN webhook_endpoint.disabled_reason IS 'Why the server switched it off: it failed for three days, or answered 410. Null when a person did.';

CREATE TABLE webhook_event (
  id uuid DEFAULT uuid_v7() NOT NULL,
  noted_at timestamp with time zone NOT NULL,
  type text NOT NULL,
  organization_id uuid,
  project_id uuid,
  task_id uuid,
  body text NOT NULL,
  CONSTRAINT webhook_event_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_event_body_check CHECK (((length(body) >= 1) AND (length(body) <= 262144))),
  CONSTRAINT webhook_event_type_check CHECK (((length(type) >= 1) AND (length(type) <= 50)))
);
CREATE INDEX webhook_event_in_order ON public.webhook_event USING btree (noted_at, id);
CREATE INDEX webhook_event_of_task ON public.webhook_event USING btree (task_id, noted_at);
COMMENT ON TABLE webhook_event IS 'The outbox of webhooks: what has happened where an endpoint wants to hear of it. A server makes deliveries of each and deletes it.';
COMMENT ON COLUMN webhook_event.task_id IS 'Deliveries about one task are sent in order.';
COMMENT ON COLUMN webhook_event.body IS 'What is sent, byte for byte.';

CREATE TABLE webhook_notice (
  id uuid DEFAULT uuid_v7() NOT NULL,
  endpoint_id uuid NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT webhook_notice_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_notice_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoint(id) ON DELETE CASCADE,
  CONSTRAINT webhook_notice_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id) ON DELETE CASCADE
);
CREATE INDEX webhook_notice_of_endpoint ON public.webhook_notice USING btree (endpoint_id);
CREATE INDEX webhook_notice_of_user ON public.webhook_notice USING btree (user_id);
COMMENT ON TABLE webhook_notice IS 'That a person is told by mail that an endpoint was switched off; the mail in the outbox is about this row.';

CREATE TABLE webhook_queue (
  endpoint_id uuid NOT NULL,
  next_at timestamp with time zone,
  held_by uuid,
  held_until timestamp with time zone,
  slow boolean DEFAULT false NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  failing_since timestamp with time zone,
  CONSTRAINT webhook_queue_pkey PRIMARY KEY (endpoint_id),
  CONSTRAINT webhook_queue_failing CHECK (((failures = 0) = (failing_since IS NULL))),
  CONSTRAINT webhook_queue_failures_check CHECK ((failures >= 0)),
  CONSTRAINT webhook_queue_held CHECK (((held_by IS NULL) = (held_until IS NULL))),
  CONSTRAINT webhook_queue_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoint(id) ON DELETE CASCADE
);
CREATE INDEX webhook_queue_due ON public.webhook_queue USING btree (slow, next_at) WHERE (next_at IS NOT NULL);
COMMENT ON TABLE webhook_queue IS 'When an endpoint gets its next delivery, and which process sends it: one at a time. Whoever adds or ends deliveries locks its row first.';
COMMENT ON COLUMN webhook_queue.next_at IS 'Null while nothing waits for it.';
COMMENT ON COLUMN webhook_queue.held_by IS 'The attempt that alone may write what comes of it, until another one takes over.';
COMMENT ON COLUMN webhook_queue.slow IS 'It was slow to answer the last time: it then waits among others of its kind.';
COMMENT ON COLUMN webhook_queue.failures IS 'Failed attempts since the last one that succeeded.';

CREATE VIEW event AS
 SELECT id,
    transaction_id,
    occurred_at,
    action AS type,
    organization_id,
    project_id,
    actor_user_id,
    target_id,
    after AS data
   FROM audit_event
  WHERE outcome = 'done'::text;
COMMENT ON VIEW event IS 'What happened, in order per project: a change is written while its object is locked, and its id begins with the time.';

CREATE VIEW paying_account AS
 SELECT a.id,
    a.user_id,
    a.organization_id,
    a.held,
        CASE
            WHEN m.is_off AND a.status = 'frozen'::text THEN 'active'::text
            ELSE a.status
        END AS status,
        CASE
            WHEN m.is_off THEN a.held + '1000000000000000'::bigint
            ELSE a.balance
        END AS balance
   FROM billing_account a
     CROSS JOIN ( SELECT (EXISTS ( SELECT
                   FROM billing_mode
                  WHERE billing_mode.mode = 'off'::text)) AS is_off) m;
COMMENT ON VIEW paying_account IS 'Accounts as those that pay for work: while billing is off, every one that is open can pay.';

CREATE VIEW project_person AS
 SELECT person.project_id,
    u.id AS user_id,
    u.email,
    u.name,
    person.is_org_member,
    person.is_owner,
        CASE
            WHEN person.is_org_member AND (pr.id IS NULL OR (wr.acts_as = ANY (ARRAY['owner'::text, 'admin'::text]))) THEN 'org'::text
            WHEN person.is_org_member OR person.is_owner THEN 'override'::text
            ELSE 'collaborator'::text
        END AS source,
        CASE
            WHEN NOT u.is_active THEN 'deactivated'::text
            WHEN person.require_2fa AND NOT u.two_factor THEN 'two_factor_required'::text
            ELSE NULL::text
        END AS hidden_reason,
    wr.slug AS org_role,
    wr.name AS org_role_name,
    wr.color AS org_role_color,
    pr.slug AS project_role,
    pr.name AS project_role_name,
    pr.color AS project_role_color,
        CASE
            WHEN pr.id IS NULL OR (wr.acts_as = ANY (ARRAY['owner'::text, 'admin'::text])) THEN wr.slug
            ELSE pr.slug
        END AS effective_role,
        CASE
            WHEN pr.id IS NULL OR (wr.acts_as = ANY (ARRAY['owner'::text, 'admin'::text])) THEN wr.name
            ELSE pr.name
        END AS effective_role_name,
        CASE
            WHEN pr.id IS NULL OR (wr.acts_as = ANY (ARRAY['owner'::text, 'admin'::text])) THEN wr.color
            ELSE pr.color
        END AS effective_role_color,
        CASE
            WHEN pr.id IS NULL OR (wr.acts_as = ANY (ARRAY['owner'::text, 'admin'::text])) THEN wr.acts_as
            ELSE pr.acts_as
        END AS acts_as,
    u.kind
   FROM ( SELECT p.id AS project_id,
            m.user_id,
            true AS is_org_member,
            o.owner_user_id = m.user_id AS is_owner,
            o.require_2fa,
                CASE
                    WHEN o.owner_user_id = m.user_id THEN '00000000-0000-4000-8000-000000000001'::uuid
                    ELSE m.role_id
                END AS org_role_id,
            g.role_id AS project_role_id
           FROM project p
             JOIN organization o ON o.id = p.organization_id
             JOIN membership m ON m.organization_id = o.id
             LEFT JOIN project_grant g ON g.project_id = p.id AND g.user_id = m.user_id
        UNION ALL
         SELECT p.id,
            g.user_id,
            false,
            false,
            false,
            NULL::uuid,
            g.role_id
           FROM project p
             JOIN project_grant g ON g.project_id = p.id
          WHERE p.owner_user_id IS DISTINCT FROM g.user_id AND NOT (EXISTS ( SELECT
                   FROM membership m
                  WHERE m.organization_id = p.organization_id AND m.user_id = g.user_id))
        UNION ALL
         SELECT p.id,
            p.owner_user_id,
            false,
            true,
            false,
            NULL::uuid,
            '00000000-0000-4000-8000-000000000012'::uuid AS uuid
           FROM project p
          WHERE p.owner_user_id IS NOT NULL) person
     JOIN app_user u ON u.id = person.user_id
     LEFT JOIN role wr ON wr.id = person.org_role_id
     LEFT JOIN role pr ON pr.id = person.project_role_id;
COMMENT ON VIEW project_person IS 'Who can open a project, and as what; one row a person (ruling 8). Lists a project''s people and decides about access (ruling 8.7).';

CREATE VIEW waiting_start AS
 SELECT task_id,
    version,
    ( SELECT a.approved_by_user_id
           FROM plan_approval a
          WHERE a.task_id = start.task_id AND a.version = start.version) AS approved_by_user_id,
    id AS outbox_id
   FROM ( SELECT outbox.id,
            (outbox.payload ->> 'task_id'::text)::uuid AS task_id,
            (outbox.payload ->> 'version'::text)::integer AS version
           FROM outbox
          WHERE outbox.topic = 'agent_start'::text AND outbox.done_at IS NULL) start;
COMMENT ON VIEW waiting_start IS 'The approved versions of plans that no worker has begun to build. A task that rests and has one is shown as queued.';

GRANT DELETE, INSERT, SELECT ON billing_notice TO guildhall_app;
GRANT DELETE, INSERT, SELECT ON card_share TO guildhall_app;
GRANT DELETE, INSERT, SELECT ON erp_instance_mail TO guildhall_app;
GRANT DELETE, INSERT, SELECT ON file_removal TO guildhall_app;
GRANT DELETE, INSERT, SELECT ON invitation_team TO guildhall_app;
GRANT DELETE, INSERT, SELECT ON odoo_expiry_warning TO guildhall_app;
GRANT DELETE, INSERT, SELECT ON revocation TO guildhall_app;
GRANT DELETE, INSERT, SELECT ON spend_limit_warning TO guildhall_app;
GRANT DELETE, INSERT, SELECT ON task_change TO guildhall_app;
GRANT DELETE, INSERT, SELECT ON task_event TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE (attempt), UPDATE (lease_until), UPDATE (not_before), UPDATE (owner), UPDATE (prepared_at), UPDATE (reason), UPDATE (state) ON odoo_dump TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE (published_at) ON artifact TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE (turn_id) ON task_message TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON attachment TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON auto_reload_set_by TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON check_log TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON check_run TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON check_suite TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON diff_comment TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON erp_instance_log TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON erp_instance_visit TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON gitea_connection TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON gitea_webhook TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON github_connection TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON github_delivery TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON github_rate_limit TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON github_review TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON idempotency_key TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON identity TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON inbox_mark TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON invitation TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON mail TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON membership TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON merge TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON merge_target TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON notification TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON notification_event TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON notification_mail TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON notification_setting TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON notification_thread TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON oauth_client TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON oauth_connection TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON odoo_connection TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON operator TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON organization TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON outbox TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON passkey TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON passkey_challenge TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON password TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON plan_comment TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON pod_request TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON project TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON project_environment TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON project_grant TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON project_mcp_server TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON project_mute TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON project_network_host TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON project_variable TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON provider_attempt TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON pull_request TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON push_key TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON push_message TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON push_subscription TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON recovery_code TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON repository TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON repository_import TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON role TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON routine TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON routine_notice TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON routine_run TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON session TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON sign_in_link TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON spend_limit TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON task TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON task_event_outbox TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON task_log TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON task_odoo_connection TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON task_outcome TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON task_subscription TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON task_turn TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON task_worker TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON team TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON team_member TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON team_project TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON totp TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_delivery TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_endpoint TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_event TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_notice TO guildhall_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_queue TO guildhall_app;
GRANT DELETE, SELECT ON invoice_due TO guildhall_app;
GRANT INSERT (account_id), INSERT (amount), INSERT (id), INSERT (idempotency_key), INSERT (reference_id), INSERT (reference_type), SELECT, UPDATE (captured), UPDATE (status) ON hold TO guildhall_app;
GRANT INSERT (account_id), INSERT (amount), INSERT (idempotency_key), INSERT (input_tokens), INSERT (kind), INSERT (model), INSERT (occurred_at), INSERT (organization_id), INSERT (output_tokens), INSERT (pod_seconds), INSERT (project_id), INSERT (reference_id), INSERT (reference_type), INSERT (task_id), INSERT (user_id), SELECT, UPDATE (settlement_id) ON usage_event TO guildhall_app;
GRANT INSERT (account_id), INSERT (carried_in), INSERT (carried_out), INSERT (events), INSERT (micro), INSERT (number), INSERT (total_nano), SELECT ON usage_settlement TO guildhall_app;
GRANT INSERT (id), INSERT (kind), INSERT (organization_id), INSERT (user_id), SELECT, UPDATE (customer_id), UPDATE (status), UPDATE (successor_id) ON billing_account TO guildhall_app;
GRANT INSERT, SELECT ON attended_top_up TO guildhall_app;
GRANT INSERT, SELECT ON audit_event TO guildhall_app;
GRANT INSERT, SELECT ON balance_transaction TO guildhall_app;
GRANT INSERT, SELECT ON check_fix TO guildhall_app;
GRANT INSERT, SELECT ON database_timeline TO guildhall_app;
GRANT INSERT, SELECT ON invoice TO guildhall_app;
GRANT INSERT, SELECT ON invoice_issuer TO guildhall_app;
GRANT INSERT, SELECT ON ledger_transfer TO guildhall_app;
GRANT INSERT, SELECT ON plan_approval TO guildhall_app;
GRANT INSERT, SELECT ON plan_revision TO guildhall_app;
GRANT INSERT, SELECT ON repository_folder TO guildhall_app;
GRANT INSERT, SELECT ON sandbox_refund TO guildhall_app;
GRANT INSERT, SELECT ON sandbox_setup TO guildhall_app;
GRANT INSERT, SELECT ON top_up_cancellation TO guildhall_app;
GRANT INSERT, SELECT ON top_up_session TO guildhall_app;
GRANT INSERT, SELECT, UPDATE (changed_at), UPDATE (mode), UPDATE (real_since), UPDATE (test_money), UPDATE (void_id), UPDATE (voided_at) ON billing_mode TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON agent_request TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON api_key TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON app_user TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON auto_reload TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON balance_fetch TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON billing_details TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON card_setup TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON deploy TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON deploy_log TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON dispute TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON erp_instance TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON github_installation TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON hourly_work TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON last_ledger_audit TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON payment_method TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON plan TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON pod TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON pod_log TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON processor_event TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON project_storage TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON refund TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON sandbox_intent TO guildhall_app;
GRANT INSERT, SELECT, UPDATE ON top_up TO guildhall_app;
GRANT SELECT ON event TO guildhall_app;
GRANT SELECT ON invoice_counter TO guildhall_app;
GRANT SELECT ON paying_account TO guildhall_app;
GRANT SELECT ON project_person TO guildhall_app;
GRANT SELECT ON schema_migration TO guildhall_app;
GRANT SELECT ON schema_view TO guildhall_app;
GRANT SELECT ON usage_day TO guildhall_app;
GRANT SELECT ON waiting_start TO guildhall_app;
GRANT SELECT, UPDATE ON retention_work TO guildhall_app;
GRANT USAGE ON SCHEMA public TO guildhall_app;
