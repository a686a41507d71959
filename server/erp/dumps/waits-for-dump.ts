import { type Sql, sql } from '../../db/sql.ts';

/**
 * SQL: whether an instance, a row of `erp_instance`, gets its database only once the dump of its
 * project is prepared. One that has its database waits for nothing.
 */
export const waitsForDump = (instance: Sql): Sql => sql`
  ((${instance}.ready_at is null or ${instance}.asked is not distinct from 'reset')
   and exists (select from task of_instance
                 join odoo_dump d on d.project_id = of_instance.project_id
                where of_instance.id = ${instance}.task_id and d.state = 'preparing'))`;
