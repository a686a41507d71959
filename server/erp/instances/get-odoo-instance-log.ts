import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { resource } from '../../http/resource.ts';
import { ids, route } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';
import { currentInstance, instanceNotFound } from './odoo-instance.ts';

const maybe = Type.Optional;

const instanceLog = resource(
  'OdooInstanceLog',
  {
    text: [
      Type.String({ description: 'The end of it, at most 64 KiB; empty before it is read.' }),
      sql`coalesce(t.text, '')`,
      '2026-11-21 08:15:30,123 2 INFO guildhall odoo: Odoo version 19.0\n',
    ],
    updated_at: [
      maybe({ ...timestamp(), description: 'When its worker has read it last.' }),
      sql`t.updated_at`,
      '2026-11-21T08:15:30.123Z',
    ],
  },
  { revision: sql`t.updated_at` },
);

/** What the throwaway ERP system of a task has printed. */
export const getOdooInstanceLog = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/odoo-instance/log',
  area: 'Odoo Connections',
  operationId: 'get_odoo_instance_log',
  summary: 'Read the log of the ERP instance of a task',
  description:
    'What its Odoo has printed last, without its password. A worker reads it every ten seconds. ' +
    'Everyone who can open the project may see it.',
  access: onTask('open_project'),
  params: ids('task_id'),
  responses: { 200: instanceLog.shown('The log.', []) },
  errors: [instanceNotFound],
  handle: ({ statement }) =>
    statement<{ item: string; instance_id: string | null }>(
      {
        select: sql`
          select i.id as instance_id, ${instanceLog.json} as item
            from authorized
            left join lateral ${currentInstance(sql`authorized.task_id`)} i on true
            left join erp_instance_log t on t.instance_id = i.id`,
      },
      ({ item, instance_id }) => {
        if (instance_id === null) throw instanceNotFound();
        return { status: 200, body: item };
      },
    ),
});
