import type { Actions } from '../access/actions.ts';
import { sql } from '../db/sql.ts';

/** The state of the newest ERP instance of a task `t`; null for one that has ended. */
const state = sql`(
  select nullif(i.state, 'ended') from erp_instance i
   where i.task_id = t.id order by i.created_at desc, i.id desc limit 1)`;

/**
 * What a person may do to the ERP instance of a task. `erps`: what can be run as one, each as
 * "version edition". Whether there is room and money for another one is only known when it is
 * asked for.
 */
export const instanceActions = (erps: readonly string[]): Actions => ({
  get_odoo_instance: { permission: 'open_project', when: sql`${state} is not null` },
  start_odoo_instance: {
    permission: 'work_on_task',
    when:
      erps.length === 0
        ? sql`false`
        : sql`t.archived_at is null and case ${state}
                when 'starting' then true when 'running' then true when 'stopping' then false
                else (select erp_version || ' ' || erp_edition = any(${erps}::text[])
                        from project where id = t.project_id) end`,
  },
  get_odoo_instance_log: { permission: 'open_project', when: sql`${state} is not null` },
  list_odoo_instance_mails: { permission: 'open_project', when: sql`${state} is not null` },
  open_odoo_instance: {
    permission: 'work_on_task',
    when: sql`
      exists (select from erp_instance i
               where i.task_id = t.id and i.state = 'running' and i.entry_url is not null)`,
  },
  restart_odoo_instance: { permission: 'work_on_task', when: sql`${state} = 'running'` },
  reset_odoo_instance: { permission: 'work_on_task', when: sql`${state} = 'running'` },
  stop_odoo_instance: { permission: 'work_on_task', when: sql`${state} is not null` },
});
