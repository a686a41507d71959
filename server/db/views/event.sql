create or replace view event as
  select id, transaction_id, occurred_at, action as type, organization_id, project_id,
         actor_user_id, target_id, after as data
    from audit_event
   where outcome = 'done';
grant select on event to guildhall_app;
comment on view event is
  'What happened, in order per project: a change is written while its object is locked, and its id begins with the time.';
