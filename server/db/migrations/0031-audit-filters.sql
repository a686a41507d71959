-- run outside a transaction

-- The filters of a workspace's audit trail, each in the order of the list.
create index concurrently audit_event_of_actor
    on audit_event (organization_id, actor_user_id, occurred_at desc, id desc);
create index concurrently audit_event_of_action
    on audit_event (organization_id, action, occurred_at desc, id desc);
create index concurrently audit_event_of_target
    on audit_event (organization_id, target_id, occurred_at desc, id desc);
drop index concurrently if exists audit_event_target;
