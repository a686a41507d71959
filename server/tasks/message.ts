import Type from 'typebox';
import { type Actions, actionsSchema, availableActions } from '../access/actions.ts';
import { rolesThatMay } from '../access/roles.ts';
import { type Sql, sql } from '../db/sql.ts';
import { multilineText, oneOf, uuid } from '../http/input/fields.ts';
import { resource } from '../http/resource.ts';
import { timestamp } from '../http/timestamps.ts';

/** The most bytes of a request that carries a message. */
export const LARGEST_MESSAGE = 512 * 1024;

/** What a person writes to an agent. */
export const messageText = () =>
  multilineText({ minLength: 1, maxLength: 100_000, description: 'The message to the agent.' });

/** What a person may do to a message. */
export const messageActions: Actions = {
  delete_message: {
    permission: 'delete_task',
    or: sql`m.author_user_id = (select user_id from caller)
            and authorized.acts_as = any(${rolesThatMay('work_on_task')}::text[])`,
    when: sql`turn.state = 'queued' and turn.attempt = 0`,
  },
};

/** The number of a message in a path. */
export const messageNumber = () =>
  Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The number of the message.' });

/**
 * `attached`, a row whose `files` are the attachments of a message as JSON, from rows `a` of
 * attachments.
 */
export const attached = (rows: Sql): Sql => sql`(
  select coalesce(
           json_agg(
             json_build_object('id', a.id, 'name', a.name, 'media_type', a.media_type,
                               'size', a.size)
             order by a.id), '[]') as files
    from ${rows}) attached`;

/**
 * A message, from a row `m` of `task_message`, its turn `turn`, if it has one, and `attached`,
 * beside `authorized`, which knows what the caller acts as.
 */
export const message = resource('Message', {
  number: [
    Type.Integer({ description: 'Its place in the conversation. Deleted ones leave a gap.' }),
    sql`m.number`,
    3,
  ],
  task_id: [uuid(), sql`m.task_id`, '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f'],
  role: [oneOf(['user', 'agent']), sql`m.role`, 'user'],
  author_user_id: [
    Type.Optional(
      uuid({
        description:
          'The person who wrote it; left out for the agent, and for people whom only another host knows.',
      }),
    ),
    sql`m.author_user_id`,
    '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  ],
  github_login: [
    Type.Optional(
      Type.String({
        description:
          'Who wrote it on GitHub. Without `author_user_id`, it is of someone whose account there ' +
          'is linked to no account here.',
      }),
    ),
    sql`m.github_login`,
    undefined,
  ],
  gitea_login: [
    Type.Optional(
      Type.String({
        description:
          'Who wrote it on the Gitea or Forgejo server of the repository; accounts there are linked ' +
          'to none here.',
      }),
    ),
    sql`m.gitea_login`,
    undefined,
  ],
  status: [
    oneOf(['queued', 'cancelled', 'sent'], {
      description:
        '`queued`: the agent has not read it yet, and it can be deleted. `cancelled`: the task ' +
        'was cancelled before the agent read it.',
    }),
    // An interrupted turn has been read once; one that was cancelled in the queue never was.
    sql`case when turn.state = 'queued' then 'queued'
             when turn.state = 'cancelled' and turn.attempt = 0 then 'cancelled'
             else 'sent' end`,
    'queued',
  ],
  text: [Type.String(), sql`m.content`, 'Round the limit to whole euros.'],
  attachments: [
    Type.Array(
      Type.Object({
        id: uuid(),
        name: Type.String(),
        media_type: Type.String(),
        size: Type.Integer({ description: 'Bytes.' }),
      }),
      { description: 'What was sent with it, unless it was deleted since.' },
    ),
    sql`attached.files`,
    [
      {
        id: '019aa2b3-c4d5-7e6f-8a1b-2c3d4e5f6a7b',
        name: 'requirements.pdf',
        media_type: 'application/pdf',
        size: 48_213,
      },
    ],
  ],
  created_at: [timestamp(), sql`m.created_at`, '2026-11-21T08:15:30.123Z'],
  available_actions: [
    actionsSchema(),
    availableActions(sql`authorized.acts_as`, messageActions),
    Object.keys(messageActions),
  ],
});
