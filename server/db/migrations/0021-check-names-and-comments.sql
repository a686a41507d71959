-- 1. Names that say what a check is about --------------------------------------------------------------

alter table audit_event rename constraint audit_event_check to audit_event_refused_has_code;
alter table auto_reload rename constraint auto_reload_check to auto_reload_enabled_has_card;
alter table billing_account rename constraint billing_account_check to billing_account_is_not_its_successor;
alter table billing_account rename constraint billing_account_check1 to billing_account_user_has_user;
alter table billing_account rename constraint billing_account_check2 to billing_account_system_has_name;
alter table billing_account rename constraint billing_account_check3 to billing_account_open_workspace_exists;
alter table billing_account rename constraint billing_account_check4 to billing_account_organization_has_workspace_kind;
alter table billing_account rename constraint billing_account_check5 to billing_account_closed_is_empty;
alter table billing_account rename constraint billing_account_check6 to billing_account_unposted_is_empty;
alter table billing_account rename constraint billing_account_check7 to billing_account_system_has_no_balance;
alter table hold rename constraint hold_check to hold_open_has_no_end;
alter table hold rename constraint hold_check1 to hold_captured_within_amount;
alter table idempotency_key rename constraint idempotency_key_check to idempotency_key_answer_is_complete;
alter table ledger_transfer rename constraint ledger_transfer_check to ledger_transfer_between_two_accounts;
alter table ledger_transfer rename constraint ledger_transfer_check1 to ledger_transfer_account_is_debit_or_credit;
alter table ledger_transfer rename constraint ledger_transfer_check2 to ledger_transfer_balance_adds_up;
alter table ledger_transfer rename constraint ledger_transfer_check3 to ledger_transfer_first_starts_at_zero;
alter table ledger_transfer rename constraint ledger_transfer_account_id_previous_version_previous_balan_fkey
  to ledger_transfer_follows_the_previous;
alter table plan rename constraint plan_check to plan_approved_version_exists;
alter table plan rename constraint plan_check1 to plan_approval_is_complete;
alter table project rename constraint project_check to project_has_one_owner;
alter table refund rename constraint refund_check to refund_created_is_checked;
alter table role rename constraint role_check to role_owner_is_built_in;
alter table top_up rename constraint top_up_check2 to top_up_charged_has_processor_id;
alter table top_up rename constraint top_up_check3 to top_up_failed_has_code;
alter table top_up rename constraint top_up_check4 to top_up_open_is_checked;
alter table usage_settlement rename constraint usage_settlement_check to usage_settlement_first_carries_nothing_in;
alter table usage_settlement rename constraint usage_settlement_check1 to usage_settlement_adds_up;
alter table usage_settlement rename constraint usage_settlement_account_id_previous_number_carried_in_fkey
  to usage_settlement_follows_the_previous;

-- 2. People, keys, workspaces --------------------------------------------------------------------------

comment on table app_user is 'A person with an email address. Deactivated, never deleted.';
comment on column app_user.two_factor is 'Whether the person has set up a second factor.';
comment on table api_key is 'A personal API key. Revoked, never deleted.';
comment on column api_key.secret_hash is 'The SHA-256 of the key, so that a stolen table opens nothing.';
comment on column api_key.last_used_at is 'Written in batches, so a little late.';
comment on table organization is 'A workspace: a shared account that owns projects and is billed as one.';
comment on column organization.require_2fa is 'Members without a second factor keep their membership, but cannot act here.';
comment on column organization.owner_user_id is
  'Exactly one owner, who is a member. The owner''s own membership says admin, which is what remains after a transfer.';
comment on table role is
  'The built-in roles, which have no organization_id, and custom roles of a workspace, which act as a built-in one.';
comment on column role.acts_as is 'The built-in role whose permissions this one has.';
comment on column role.assignable is
  'False for owner, which exists for its name and colour only. Referring tables repeat scope and assignable in their foreign key.';
comment on table membership is 'Who belongs to a workspace, with which role.';
comment on column membership.scope is 'Constant: with role_id it refers to a role of a workspace.';
comment on column membership.assignable is 'Constant: with role_id it refers to a role that can be assigned.';
comment on table invitation is 'An offer of membership. One may be pending per workspace and address.';
comment on column invitation.scope is 'Constant: with role_id it refers to a role of a workspace.';
comment on column invitation.assignable is 'Constant: with role_id it refers to a role that can be assigned.';
comment on column invitation.generation is
  'Part of what the link is derived from; no token is stored. A higher number makes earlier links invalid.';
comment on column invitation.invited_by_name is 'The name at that time.';
comment on table team is 'A group of members of a workspace with common permissions.';
comment on column team.add_to_new_projects is 'Projects created from now on get the team; existing ones do not change.';
comment on table team_member is 'Who is in a team. Ends with the membership in the workspace.';
comment on table team_project is 'The projects of a team.';

-- 3. Projects, tasks, plans ----------------------------------------------------------------------------

comment on table project is
  'Owned by a workspace, by a user (a personal project), or by nobody (released, after its workspace was deleted).';
comment on table project_grant is
  'A role set for a person on a project: an override for a member of its workspace, otherwise an outside collaboration.';
comment on column project_grant.scope is 'Constant: with role_id it refers to a role of a project.';
comment on column project_grant.assignable is 'Constant: with role_id it refers to a role that can be assigned.';
comment on table task is 'One conversation with an agent inside a project.';
comment on table plan is 'The plan of a task as it stands: which revision is current, and which one is approved.';
comment on column plan.approved_version is 'May be older than the current version, which is not approved then.';
comment on table plan_revision is 'Each text of a plan, as it was written. Insert-only; deleted with the task.';
comment on column plan_revision.sha256 is 'Of the text in UTF-8, computed by a trigger.';
comment on table plan_approval is 'Who approved which version of a plan, and when. Insert-only; deleted with the task.';

-- 4. Money. Amounts are bigint in micro-USD, unless a comment says otherwise ---------------------------

comment on table billing_account is
  'What holds a balance: one for each user and each workspace, and the system accounts on the other side of the postings.';
comment on column billing_account.successor_id is 'Who received the balance when the account was closed.';
comment on column billing_account.balance is
  'Micro-USD. Moves only by an insert into ledger_transfer; 0 for system accounts, whose balance is the sum of their rows.';
comment on column billing_account.held is 'Micro-USD: the sum of the open holds.';
comment on column billing_account.version is 'How many postings the account has.';
comment on column billing_account.posted_version is
  'The version, or null before the first posting: for the foreign key to the last row of the account.';
comment on column billing_account.customer_id is 'The card processor''s name for the person.';
comment on table ledger_transfer is
  'The ledger: one debit and one credit in each row, between one customer and one system account. Insert-only.';
comment on column ledger_transfer.account_id is 'The customer''s account, which is the debit or the credit side.';
comment on column ledger_transfer.version is 'Numbers the rows of the account without a gap.';
comment on column ledger_transfer.balance is 'Micro-USD: the balance of the account after this row.';
comment on column ledger_transfer.reference_id is 'What the posting is for; reference_type says in which table.';
comment on table hold is 'Part of a balance that is reserved, until it is captured or released.';
comment on column hold.captured is 'Micro-USD that were charged when the hold was captured; the rest was released.';
comment on column hold.transfer_key is 'The posting of a captured hold.';
comment on table usage_event is 'One thing that was used. Settled once, with many others.';
comment on column usage_event.amount is 'Nano-USD: a token costs less than a micro-USD. The limit keeps the sum of a batch within a posting.';
comment on table usage_settlement is 'Charges pending usage events of an account with one posting. Insert-only.';
comment on column usage_settlement.number is 'Numbers the settlements of the account without a gap.';
comment on column usage_settlement.total_nano is 'Nano-USD: the sum of the events.';
comment on column usage_settlement.carried_in is 'Nano-USD below one micro-USD that the previous settlement left.';
comment on column usage_settlement.carried_out is 'Nano-USD below one micro-USD that the next settlement takes.';
comment on column usage_settlement.micro is 'What was charged. Without a posting when it is 0.';
comment on table payment_method is 'A saved card. Detached, never deleted.';
comment on column payment_method.token is 'The card processor''s id of it; `id` is ours.';
comment on column payment_method.fingerprint is 'The card processor''s id of the card itself, the same when a card is saved twice.';
comment on table top_up is 'One attempt to charge a card and credit a balance, stored before the processor is asked.';
comment on column top_up.user_id is 'Who asked for it and whose card is charged.';
comment on column top_up.client_key is 'The Idempotency-Key of the request.';
comment on column top_up.processor_id is 'The card processor''s id of the charge.';
comment on column top_up.refunded is 'Micro-USD that went back to the card; more than the amount where the processor took more.';
comment on column top_up.disputed is 'Micro-USD that disputes hold back now.';
comment on column top_up.checks is 'How often the processor was asked for the outcome.';
comment on column top_up.next_check_at is 'When the processor is asked next; null when nothing is left to ask.';
comment on column top_up.look is 'Counts the questions to the processor: only the answer to the last one is applied.';
comment on column top_up.automatic is 'Started by auto-reload.';
comment on table auto_reload is 'Whether and how a balance is topped up by itself. Off without a row.';
comment on column auto_reload.threshold is 'Micro-USD: the charge starts when less than this is available.';
comment on column auto_reload.monthly_cap is 'Micro-USD that may be charged in a calendar month.';
comment on column auto_reload.declines_since is 'Declines of charges that began before this do not count.';
comment on column auto_reload.looked_at is 'When the balance was last compared with the threshold.';
comment on table refund is 'A refund that an operator asked for. Its money is held until the processor''s answer is posted.';
comment on column refund.next_check_at is 'When the processor is asked for the outcome next.';
comment on table dispute is 'A dispute of a charge, by the card processor''s id.';
comment on column dispute.withdrawn is 'Micro-USD that are held back now: withdrawn less reinstated.';
comment on column dispute.postings is 'How many postings followed it; numbers their keys.';
comment on table processor_event is
  'Webhook events by the card processor''s id, stored whether their type is known or not, and processed in any order.';
comment on column processor_event.created_at is 'The card processor''s time.';
comment on column processor_event.intent_id is 'The charge that the event is about.';
comment on table sandbox_intent is 'The memory of the sandbox card processor: its charges.';
comment on table sandbox_refund is 'The memory of the sandbox card processor: its refunds.';

-- 5. What happened, what must still happen -------------------------------------------------------------

comment on table audit_event is
  'Who did what to what, before and after. Insert-only, and without foreign keys: a row outlives what it is about.';
comment on column audit_event.actor_user_id is 'Null for changes by the system or the command line.';
comment on column audit_event.target_id is 'What was changed; the action says of which kind it is.';
comment on column audit_event.code is 'Why the attempt was refused.';
comment on table outbox is 'What must happen after a commit, written in the same transaction.';
comment on column outbox.key is 'Makes it happen once per topic.';
comment on table idempotency_key is
  'The first answer to a request with an Idempotency-Key (ruling 1.11). Status, headers and body are null while it runs.';
comment on column idempotency_key.request_hash is 'SHA-256 of what was asked: another request with the same key is refused.';
comment on column idempotency_key.claim is 'The process that answers; a claim that is too old may be taken over.';
comment on table hourly_work is 'When work that one of many processes does every hour is due.';
comment on table schema_migration is 'The migrations that were applied.';

-- 6. Names (decision 17) -------------------------------------------------------------------------------

comment on function is_name(text) is
  'Whether a text can be a name that people tell apart by eye (ruling 1.16).';
comment on function name_key(text) is
  'Equal for two names that people would take for the same: indexes use it, so its results never change.';
