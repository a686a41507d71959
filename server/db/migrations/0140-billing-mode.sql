-- How work is paid for, and which balances are test money: docs/decisions/0067-billing-modes.md.

-- 1. The mode of this installation -------------------------------------------------------------------

create table billing_mode (
  only_one   boolean primary key default true check (only_one),
  mode       text not null check (mode in ('stripe', 'credits', 'off', 'sandbox')),
  test_money boolean not null,
  real_since timestamptz,
  void_id    uuid,
  voided_at  timestamptz,
  changed_at timestamptz not null default clock_timestamp(),
  constraint billing_mode_says_since_when check (test_money = (real_since is null)),
  constraint billing_mode_knows_its_money check (
    case mode when 'sandbox' then test_money when 'stripe' then true else not test_money end),
  constraint billing_mode_voids_test_money check (voided_at is null or not test_money)
);
comment on table billing_mode is
  'How work is paid for: one row, from the first start of a server. Every process goes by it, whatever its own BILLING says.';
comment on column billing_mode.test_money is
  'Whether balances were paid with test cards. Once they are not, they never are again.';
comment on column billing_mode.real_since is
  'Top-ups that were begun before are not credited any more. -infinity: there was no test money before.';
comment on column billing_mode.void_id is
  'The audit event of the change that ended test money, which the postings that void it refer to.';
comment on column billing_mode.voided_at is
  'When the last balance of test money was voided. Until then nothing is held and no server answers.';
grant select, insert, update (mode, test_money, real_since, void_id, voided_at, changed_at)
  on billing_mode to guildhall_app;

create trigger billing_mode_no_delete before delete on billing_mode
  for each row execute function refuse_change();
create trigger billing_mode_no_truncate before truncate on billing_mode
  for each statement execute function refuse_change();

-- 2. Credits that the operator grants, and test money that becomes void ------------------------------

alter table billing_account drop constraint billing_account_system_name_check;
alter table billing_account add constraint billing_account_system_name_check check (system_name in
  ('processor_clearing', 'transfer_clearing', 'revenue', 'disputes', 'promotions', 'write_offs',
   'test_money')) not valid;
insert into billing_account (id, kind, system_name)
values ('00000000-0000-4000-9000-000000000007', 'system', 'test_money');

alter table ledger_transfer drop constraint ledger_transfer_kind_check;
alter table ledger_transfer add constraint ledger_transfer_kind_check check (kind in
  ('top_up', 'promotion', 'grant', 'balance_transfer', 'refund', 'refund_reversal', 'dispute',
   'dispute_reversal', 'usage', 'write_off', 'void')) not valid;

-- 3. Usage that is counted and not charged -----------------------------------------------------------

alter table usage_event add column charged boolean not null default true;
comment on column usage_event.charged is
  'False for what was used while BILLING was off: it is never settled.';
