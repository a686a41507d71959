import { randomBytes } from 'node:crypto';
import Type from 'typebox';
import { onLockedTask } from '../../access/task.ts';
import { sql } from '../../db/sql.ts';
import { ids, route } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';
import { recordChange } from '../../platform/audit/audit.ts';
import { hashOf, TICKET_SECONDS } from './entry/visits.ts';
import {
  currentInstance,
  instanceNotFound,
  instanceNotOpen,
  instanceNotRunning,
} from './odoo-instance.ts';

/** Makes a link that signs the caller in to the throwaway ERP system of a task. */
export const openOdooInstance = route({
  method: 'POST',
  path: '/api/tasks/{task_id}/odoo-instance/open',
  area: 'Odoo Connections',
  operationId: 'open_odoo_instance',
  summary: 'Open the ERP instance of a task',
  description:
    `Makes an address that signs the caller in to its Odoo as admin, once, within ${TICKET_SECONDS} ` +
    'seconds. The browser that opens it is let in until the instance ends, and as long as the ' +
    'caller may work on the task. Members of the project may.',
  access: onLockedTask('work_on_task'),
  params: ids('task_id'),
  responses: {
    201: {
      description: 'The address.',
      schema: Type.Object(
        { url: Type.String(), expires_at: timestamp() },
        { $id: 'OdooInstanceEntry' },
      ),
      example: {
        url: 'https://3f2b1c0d-9e8f-4a7b-8c6d-5e4f3a2b1c0d.erp.example.com/_guildhall/open?ticket=…',
        expires_at: '2026-11-21T08:16:30.123Z',
      },
    },
  },
  errors: [instanceNotFound, instanceNotRunning, instanceNotOpen],
  handle: ({ params: { task_id }, requestId, transaction }) =>
    transaction(async (tx, caller) => {
      const found = await tx.maybeOne<{ id: string; state: string; entry_url: string | null }>(sql`
        select t.id, t.state, t.entry_url from ${currentInstance(sql`${task_id}::uuid`)} t`);
      if (found === undefined) throw instanceNotFound();
      if (found.state !== 'running') throw instanceNotRunning();
      if (found.entry_url === null) throw instanceNotOpen();
      const ticket = randomBytes(32).toString('base64url');
      const { expires_at } = await tx.one<{ expires_at: Date }>(sql`
        insert into erp_instance_visit (instance_id, user_id, ticket_hash)
        values (${found.id}, ${caller.userId}, ${hashOf(ticket)})
        returning created_at + ${TICKET_SECONDS}::integer * interval '1 second' as expires_at`);
      await recordChange(tx, {
        caller,
        action: 'odoo_instance.open',
        target: task_id,
        requestId,
        organizationId: caller.organization_id,
        projectId: caller.project_id,
        before: {},
        after: {},
      });
      return {
        status: 201,
        body: {
          url: `${found.entry_url}?ticket=${ticket}`,
          expires_at: expires_at.toISOString(),
        },
      };
    }),
});
