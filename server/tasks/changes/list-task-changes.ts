import Type, { type Static } from 'typebox';
import { onProjectsOrOne, projectsOfCaller } from '../../access/project.ts';
import { nothing, type Sql, sql } from '../../db/sql.ts';
import { apiError, forbidden, notFound, twoFactorRequired } from '../../http/errors.ts';
import { asksForEvents, lastEventIdInvalid, tooManyStreams } from '../../http/event-stream.ts';
import { uuid } from '../../http/input/fields.ts';
import { route } from '../../http/route.ts';
import { type Change, changeColumns, taskChange } from './change.ts';
import {
  AHEAD_SECONDS,
  KNOWN_SECONDS,
  type Moment,
  momentColumns,
  POSITION,
  positionAt,
  readPosition,
} from './position.ts';
import { MOST, type TaskChanges } from './task-changes.ts';

const changesNotKept = apiError(
  409,
  'changes_not_kept',
  'What has changed since then is not known any more: read your lists again',
);

const query = Type.Object({
  project_id: Type.Optional(uuid({ description: 'Only tasks of this project.' })),
  after: Type.Optional(
    Type.String({
      maxLength: 30,
      pattern: POSITION,
      description: 'The `id` of an event: the changes that follow it are sent.',
    }),
  ),
});

/** Tells which tasks have changed, of those that the caller can open. */
export const listTaskChanges = ({ changes }: { changes: TaskChanges }) =>
  route({
    method: 'GET',
    path: '/api/task-changes',
    area: 'Tasks',
    operationId: 'list_task_changes',
    summary: 'Stream which tasks change',
    description:
      'With `Accept: text/event-stream` a stream (server-sent events) of the tasks that change, in ' +
      'all projects that the caller can open or in one, so that lists of tasks need not be read ' +
      'again and again. An event `changed` names a task that was created or deleted, or whose ' +
      'title, status, model, limit, archive, cost, plan or pull request has changed; read it, or ' +
      'your lists, to see how. Several changes of a task within a second are one event. Each event ' +
      'comes within about a second, and may come twice.\n\n' +
      'An event `reset` says: read your lists again, now. A stream begins with one, unless it ' +
      'continues after an event; it comes again when other projects can be opened than before, a ' +
      'project was archived or moved, or the reader was too slow.\n\n' +
      'A stream ends after an hour at the latest: reconnect with the `id` of the last event as ' +
      '`Last-Event-ID`, and no change is missing: what is no longer known after 55 minutes, or ' +
      'is more than 300 tasks, is a `reset`. Which projects you may open is looked up within about ' +
      'a second after your session, key, membership or role was ended, and every 30 seconds, when ' +
      'a session or key that has expired is found.\n\n' +
      'Without that header, the answer is a list of what follows `after`, and empty without it. ' +
      'Its header `Last-Event-ID` is where it ends: the `after` of the next request. So a caller ' +
      'without a stream asks once, reads their lists, and asks again and again from there; after a ' +
      '409 `changes_not_kept` they begin anew. Everyone may call it; a project that is named must be one that the caller can open.',
    access: onProjectsOrOne,
    query,
    headers: {
      'Last-Event-ID': {
        description: 'Like `after`, and takes precedence over it.',
        pattern: `^$|${POSITION}`,
      },
    },
    responses: {
      200: {
        description: 'Tasks that have changed, each once, in no order.',
        headers: ['Last-Event-ID'],
        schema: Type.Array(taskChange),
        example: [
          {
            task_id: '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f',
            project_id: 'c4b1f0de-2a6e-4b53-9a57-2f6f0f1f8a11',
            updated_at: '2026-11-21T08:15:30.123Z',
          },
        ],
        mediaType: 'text/event-stream',
      },
    },
    errors: [
      notFound,
      forbidden,
      twoFactorRequired,
      changesNotKept,
      lastEventIdInvalid,
      tooManyStreams,
    ],
    handle: ({ query, headers, statement }) => {
      const after = positionOf(headers['last-event-id'], query);
      const since = changes.polls();
      return statement<Read>({ select: readAfter(after, query.project_id) }, (row) => {
        const { userId, snapshot, at, projects, known } = row;
        const missed = known ? row.missed : undefined;
        const moment = { snapshot, at };
        if (!asksForEvents(headers)) {
          if (missed === undefined || missed.some(({ json }) => json === null))
            throw changesNotKept();
          return {
            status: 200,
            headers: { 'Last-Event-ID': positionAt(moment) },
            body: `[${missed.map(({ json }) => json).join(',')}]`,
          };
        }
        const source = changes.open({ moment, projects, since, after, missed });
        return {
          status: 200,
          events: {
            source,
            objectId: query.project_id ?? userId,
            onRights: (rights) => source.follow(rights.projects as string[]),
          },
        };
      });
    },
  });

/** Errors: 422 last_event_id_invalid. */
function positionOf(
  lastEventId: string | undefined,
  { after }: Static<typeof query>,
): string | undefined {
  if (lastEventId === undefined || lastEventId === '') return after;
  if (!new RegExp(POSITION).test(lastEventId)) throw lastEventIdInvalid(lastEventId);
  return lastEventId;
}

interface Read extends Moment {
  projects: string[];
  /** Whether all that was missed is still noted. */
  known: boolean;
  missed: Change[];
}

const readAfter = (after: string | undefined, projectId: string | undefined): Sql => sql`
  select ${momentColumns}, array(select p.id::text from ${opened(projectId)}) as projects,
         ${after === undefined ? NOTHING_MISSED : missedAfter(readPosition(after), projectId)}`;

const opened = (projectId: string | undefined): Sql => sql`
  ${projectsOfCaller('open_project')} ${projectId === undefined ? nothing : sql`and p.id = ${projectId}`}`;

const NOTHING_MISSED = sql`true as known, '[]'::json as missed`;

// A copy of the database, or a server that has taken over, may be behind the position.
const missedAfter = (
  { xmin, at }: ReturnType<typeof readPosition>,
  projectId: string | undefined,
): Sql => sql`
  ${at}::bigint > extract(epoch from now()) - ${KNOWN_SECONDS}::int
    and ${at}::bigint < extract(epoch from now()) + ${AHEAD_SECONDS}::int
    and ${xmin}::xid8 <= pg_snapshot_xmax(pg_current_snapshot())
    and missed.count <= ${MOST}::int
    and not exists (${otherProjectsSince(at)}) as known, missed.list as missed
  from (
    select count(*) as count,
           coalesce(json_agg(json_build_object('project_id', c.project_id, 'json', c.json)), '[]')
             as list
      from (
        select c.project_id, ${changeColumns}
          from (select distinct object_id, project_id from task_change
                 where transaction_id >= ${xmin}::xid8
                   and transaction_id < pg_snapshot_xmax(pg_current_snapshot())
                   and project_id = any(array(select p.id from ${opened(projectId)}))
                 limit ${MOST + 1}) c
          left join task t on t.id = c.object_id) c) missed`;

// A reader that was away gets no change of a project that it could open then and cannot now, or the other
// way round. What notes that is dated when its transaction began, which was up to a minute before.
const otherProjectsSince = (at: string): Sql => sql`
  select from caller
   where exists (select from revocation r
                  where r.user_id = caller.user_id and r.noted_at > ${minuteBefore(at)})
      or exists (select from membership m
                  where m.user_id = caller.user_id and m.created_at > ${minuteBefore(at)})
      or exists (select from project_grant g
                  where g.user_id = caller.user_id and g.created_at > ${minuteBefore(at)})`;

const minuteBefore = (at: string): Sql => sql`to_timestamp(${at}::bigint - 60)`;
