alter table usage_event validate constraint usage_event_kind_check;
