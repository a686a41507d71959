create or replace function note_odoo_instance() returns trigger language plpgsql as $$
begin
  perform note_task_event(new.task_id, 'odoo_instance', json_build_object(
    'odoo_instance_id', new.id, 'status', new.state));
  return null;
end $$;
comment on function note_odoo_instance() is
  'That the throwaway Odoo of a task is asked for, is ready, has failed or has ended, as an event of the task.';

create or replace trigger erp_instance_made after insert on erp_instance
  for each row execute function note_odoo_instance();
create or replace trigger erp_instance_changed after update of state on erp_instance
  for each row when (old.state <> new.state) execute function note_odoo_instance();
