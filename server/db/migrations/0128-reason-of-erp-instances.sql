-- Why an ERP instance was ended that no one pays: docs/decisions/0066-erp-instances.md.
alter table erp_instance add column reason_code text;
alter table erp_instance add constraint erp_instance_reason_code_check
  check (reason_code in ('insufficient_funds', 'account_not_active', 'spend_limit')) not valid;
comment on column erp_instance.reason_code is
  'Which rule about money has ended it. It stays when what has failed is removed.';
