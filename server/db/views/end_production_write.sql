create or replace function end_production_write() returns trigger language plpgsql as $$
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
end $$;
comment on function end_production_write() is
  'That agents may write to a production database, and see what they see nowhere else, was said by an admin of the previous owner: the next one has to say so again.';

create or replace trigger project_leaves_production_write
  after update of organization_id, owner_user_id on project
  for each row when ((old.organization_id, old.owner_user_id)
                     is distinct from (new.organization_id, new.owner_user_id))
  execute function end_production_write();
