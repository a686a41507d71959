-- What agents see of an Odoo although they see it nowhere else:
-- docs/decisions/0070-what-agents-do-not-see.md.
alter table odoo_connection add column agent_exceptions text[] not null default '{}';
comment on column odoo_connection.agent_exceptions is
  'Names of models, and of fields as model/field, for which an admin of the project has lifted the list of what agents neither see nor change.';

alter table odoo_connection add constraint odoo_connection_exceptions_are_names
  check (cardinality(agent_exceptions) <= 50
         and array_position(agent_exceptions, null) is null
         and array_to_string(agent_exceptions, ' ')
             ~ '^([a-z0-9_.]{1,128}(/[a-z0-9_]{1,64})?( |$))*$') not valid;
