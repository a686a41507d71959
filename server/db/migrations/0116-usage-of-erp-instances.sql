-- Usage may be of an ERP instance.
alter table usage_event drop constraint usage_event_kind_check;
alter table usage_event add constraint usage_event_kind_check
  check (kind in ('model', 'pod', 'erp_instance')) not valid;
