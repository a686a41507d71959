import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { uuid } from '../../http/input/fields.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { resource } from '../../http/resource.ts';
import { ids, route } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';
import { currentInstance } from './odoo-instance.ts';

const instanceMail = resource(
  'OdooInstanceMail',
  {
    id: [uuid(), sql`t.id`, '5d0c7f3a-1b2c-4d3e-8f40-516273849506'],
    received_at: [timestamp(), sql`t.received_at`, '2026-11-21T08:15:30.123Z'],
    sender: [Type.String(), sql`t.sender`, 'admin@example.com'],
    recipients: [Type.Array(Type.String()), sql`to_jsonb(t.recipients)`, ['azure@example.com']],
    subject: [Type.String(), sql`t.subject`, 'Your quotation'],
    text: [
      Type.String({
        description:
          'Its text, at most 16,000 characters; that of its HTML, without any markup, if it has no ' +
          'other.',
      }),
      sql`t.text`,
      'Hello,\n\nhere is your quotation.\n',
    ],
  },
  { revision: sql`t.id` },
);

/** The mails that the throwaway ERP system of a task wanted to send. */
export const listOdooInstanceMails = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/odoo-instance/mails',
  area: 'Odoo Connections',
  operationId: 'list_odoo_instance_mails',
  summary: 'List the mails of the ERP instance of a task',
  description:
    'Mails that its Odoo has sent, which nobody gets. The newest come first, and the newest 100 are ' +
    'kept; a worker collects them every ten seconds. Everyone who can open the project may see them.',
  access: onTask('open_project'),
  params: ids('task_id'),
  query: Type.Object(paging),
  responses: { 200: instanceMail.listed('The newest first; empty without an instance.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>(
      { select: listed({ ...mails, json: instanceMail.json }, query) },
      page(url, query.limit),
    ),
});

const mails = {
  rows: sql`
    from authorized
    join lateral ${currentInstance(sql`authorized.task_id`)} i on true
    join erp_instance_mail t on t.instance_id = i.id where true`,
  order: [{ by: sql`t.id`, type: 'uuid' }],
  descending: true,
} as const;
