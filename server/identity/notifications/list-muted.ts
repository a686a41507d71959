import Type from 'typebox';
import { oneself } from '../../access/account.ts';
import { personMay } from '../../access/person-may.ts';
import { sql } from '../../db/sql.ts';
import { oneOf, uuid } from '../../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../../http/list.ts';
import { cursorInvalid, pages } from '../../http/paging.ts';
import { resource } from '../../http/resource.ts';
import { route } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';

/** What a person has muted, from a row `e` of the union below. */
const muted = resource('Muted', {
  kind: [oneOf(['task', 'project'], { description: 'What it is.' }), sql`e.kind`, 'task'],
  id: [
    uuid({ description: 'Of the task or the project.' }),
    sql`e.id`,
    '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f',
  ],
  project_id: [
    uuid({ description: 'The project, or that of the task.' }),
    sql`e.project_id`,
    'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11',
  ],
  title: [
    Type.String({ description: 'The title of the task, or the name of the project.' }),
    sql`e.title`,
    'Sale order approval',
  ],
  muted_at: [timestamp(), sql`e.muted_at`, '2026-11-21T08:15:30.123Z'],
});

/** The tasks and projects that the caller has muted. */
export const listMuted = route({
  method: 'GET',
  path: '/api/account/notifications/muted',
  area: 'Account',
  operationId: 'list_muted',
  summary: 'List what you have muted',
  description: 'The tasks and projects that tell you nothing, the latest first.',
  access: oneself,
  query: Type.Object(pages),
  responses: { 200: muted.listed('The latest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(all, query) }, page(url, query.limit)),
});

const all: ListParts = {
  json: muted.json,
  rows: sql`
    from authorized cross join lateral (
      select 'task' as kind, t.id, t.project_id, t.title, s.updated_at as muted_at
        from task_subscription s join task t on t.id = s.task_id
       where s.user_id = authorized.user_id and s.state = 'muted'
      union all
      select 'project', p.id, p.id, p.name, m.muted_at
        from project_mute m join project p on p.id = m.project_id
       where m.user_id = authorized.user_id) e
   where exists (select from project_person person
                  where person.project_id = e.project_id and person.user_id = authorized.user_id
                    and ${personMay('open_project')})`,
  order: [
    { by: sql`e.muted_at`, type: 'timestamptz' },
    { by: sql`e.id`, type: 'uuid' },
  ],
  descending: true,
};
