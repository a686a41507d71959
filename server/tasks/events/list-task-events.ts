import Type, { type Static } from 'typebox';
import { onTask } from '../../access/project.ts';
import { apiError } from '../../http/errors.ts';
import { asksForEvents, lastEventIdInvalid, tooManyStreams } from '../../http/event-stream.ts';
import { dateTime, integer } from '../../http/input/fields.ts';
import { pages } from '../../http/paging.ts';
import { type Answer, ids, route } from '../../http/route.ts';
import type { TaskEvent } from './event-log.ts';
import { eventJson } from './frames.ts';
import type { TaskEvents } from './task-events.ts';

/** An event of a task, in a page and as the data of a stream. */
const taskEvent = Type.Object(
  {
    seq: Type.Integer({ description: 'Counts the events of the task from 1, without a gap.' }),
    type: Type.String({
      description:
        'What happened: `status`, `message`, `thought`, `tool_call`, `tool_call_update`, `todo`, ' +
        '`plan`, `request`, `request_answered`, `usage`, `turn_started`, `turn_ended`, `commit`, ' +
        '`artifact`, `notice`, `setup`, `network`, `erp_call`, `odoo_instance`, and what happens to its code: `pull_request`, `checks`, `check`, ' +
        '`fix_checks`, `merge`, `deploy`. Ignore others, which later versions may add.',
    }),
    turn_id: Type.Optional(Type.String({ format: 'uuid' })),
    created_at: dateTime(),
    payload: Type.Unknown({
      description:
        'Depends on the type. One of more than 256 KB is `{"omitted": "too_large", "bytes": …}`.',
    }),
  },
  { $id: 'TaskEvent' },
);

const eventAhead = apiError(
  409,
  'event_ahead',
  'This task has no such event yet: continue after the last event that you received',
);

/** Empty is what a browser sends that has received no event. */
const LAST_EVENT_ID = '^[0-9]{0,15}$';

const query = Type.Object({
  after: integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'The number of an event: those that follow it are sent; 0 for all.',
  }),
  limit: pages.limit,
  wait: integer({
    minimum: 0,
    maximum: 25,
    default: 0,
    description: 'How many seconds a page waits for an event if there is none; not for a stream.',
  }),
});

/** Reads the events of a task: a page of them, or a stream. */
export const listTaskEvents = ({
  events,
}: {
  events: Pick<TaskEvents, 'log' | 'stream' | 'wait'>;
}) =>
  route({
    method: 'GET',
    path: '/api/tasks/{task_id}/events',
    area: 'Tasks',
    operationId: 'list_task_events',
    summary: 'Read or stream the events of a task',
    description:
      'What the agent of the task did and what happened to its pull request, in order: a page of ' +
      'it, or with `Accept: text/event-stream` a stream (server-sent events), which first sends what follows `after` ' +
      'or `Last-Event-ID`, and then every event when it happens. Each has its number as `id`, its ' +
      'type as `event` and the object of a page as `data`.\n\n' +
      'A stream ends after an hour at the latest: reconnect with the `id` of the last event as ' +
      '`Last-Event-ID`, and no event is missing or repeated. Events are deleted a week after the ' +
      'last turn of the task, or after its creation if it had none; if you ask for deleted ones, the stream begins with an event ' +
      '`reset` that names the first one there is, and a page begins there. Whether you may read ' +
      'the task is checked again within about a second after your session, key, membership or role ' +
      'was ended, and every 30 seconds, when a session or key that has expired is found. Everyone ' +
      'who can open the project may call it.',
    access: onTask('open_project'),
    params: ids('task_id'),
    query,
    headers: {
      'Last-Event-ID': {
        description: 'For a stream: like `after`, and takes precedence over it.',
        pattern: LAST_EVENT_ID,
      },
    },
    responses: {
      200: {
        description: 'Events, oldest first.',
        headers: ['Link'],
        schema: Type.Array(taskEvent),
        example: [
          {
            seq: 1,
            type: 'turn_started',
            turn_id: '01936f6e-3b7a-7c41-9d55-0a3f4a1be001',
            created_at: '2026-11-21T08:15:30.123Z',
            payload: {
              number: 1,
              kind: 'plan',
              attempt: 1,
              requested_by_user_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
            },
          },
        ],
        mediaType: 'text/event-stream',
      },
    },
    errors: [eventAhead, lastEventIdInvalid, tooManyStreams],
    handle: async ({ params: { task_id }, query, headers, url, load }) => {
      const position = positionOf(headers['last-event-id'], query);
      await load();
      if (asksForEvents(headers)) {
        const source = await events.stream(task_id, position);
        if (source === undefined) throw eventAhead();
        return { status: 200, events: { source, objectId: task_id } };
      }
      const { after, limit, wait } = query;
      const page = () => events.log.read(task_id, after, limit);
      const found = await page();
      if (found.length === 0 && after > (await events.log.head(task_id)).last) throw eventAhead();
      if (found.length > 0 || wait === 0) return shown(found, url, limit);
      return {
        status: 200,
        later: async (signal) => {
          await events.wait(task_id, after, wait * 1000, signal);
          // By the rights that the caller has now: they may have ended during the wait.
          await load();
          return shown(await page(), url, limit);
        },
      };
    },
  });

/** Errors: 422 last_event_id_invalid. */
function positionOf(lastEventId: string | undefined, { after }: Static<typeof query>): number {
  if (lastEventId === undefined || lastEventId === '') return after;
  if (!new RegExp(LAST_EVENT_ID).test(lastEventId)) throw lastEventIdInvalid(lastEventId);
  return Number(lastEventId);
}

function shown(events: TaskEvent[], url: string, limit: number): Answer {
  const answer = { status: 200, body: `[${events.map(eventJson).join(',')}]` };
  if (events.length < limit) return answer;
  const [path, search] = url.split('?') as [string, string | undefined];
  const next = new URLSearchParams(search);
  next.set('after', String(events.at(-1)?.seq));
  return { ...answer, headers: { link: `<${path}?${next}>; rel="next"` } };
}
