import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import {
  type Asker,
  type BegunTask,
  DiffTooLarge,
  type TaskDiffs,
  wasEnded,
} from '../../code/index.ts';
import { nothing, sql } from '../../db/sql.ts';
import { apiError } from '../../http/errors.ts';
import { boolean } from '../../http/input/fields.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { createTransfers } from '../../http/transfers.ts';
import { type Begun, begunWith } from '../begun-with.ts';
import { comment } from './comment.ts';
import { type Placed, placesOf } from './places.ts';

export const placesBusy = apiError(
  503,
  'diffs_busy',
  'Too many code changes are being compared, or too many for you: wait until one is done, then ' +
    'try again',
  { 'retry-after': '5' },
);

/** What people said about the code of a task. */
export const listDiffComments = ({ diffs }: { diffs: TaskDiffs }) => {
  const transfers = createTransfers(placesBusy, { limit: 64, perUser: 4 });
  return route({
    method: 'GET',
    path: '/api/tasks/{task_id}/diff-comments',
    area: 'Plans & Artifacts',
    operationId: 'list_diff_comments',
    summary: 'List comments on the code of a task',
    description:
      'The comments on all commits of the task, oldest first, for everyone who can open the ' +
      'project. Each says where its line is in the newest commit.',
    access: onTask('open_project'),
    params: ids('task_id'),
    query: Type.Object({
      resolved: Type.Optional(boolean({ description: 'Only those that are, or are not.' })),
      ...paging,
    }),
    responses: { 200: comment.listed('Oldest first.') },
    errors: [cursorInvalid, placesBusy],
    handle: ({ params: { task_id }, query, url, statement }) =>
      statement<Listed & Begun & { project_id: string }>(
        {
          select: sql`
            select authorized.project_id, ${begunWith}, list.*
              from authorized cross join (${listed(comments(query.resolved), query)}) list`,
        },
        ({ project_id, base, onHost, userId, ...list }) => ({
          status: 200,
          later: (signal) =>
            transfers.run(userId, async () => {
              const of = { projectId: project_id, taskId: task_id, base, onHost };
              const items = await withPlaces(diffs, of, JSON.parse(list.items), { userId, signal });
              return page(url, query.limit)({ ...list, items: JSON.stringify(items) });
            }),
        }),
      ),
  });
};

const comments = (resolved: boolean | undefined) => ({
  json: comment.json,
  rows: sql`
    from diff_comment t
   where t.task_id = (select task_id from authorized)
     ${resolved === undefined ? nothing : sql`and (t.resolved_at is not null) = ${resolved}`}`,
  order: [{ by: sql`t.id`, type: 'uuid' }] as const,
});

/** The comments with where their lines are, as far as this server can tell. */
async function withPlaces(
  diffs: TaskDiffs,
  of: BegunTask,
  items: Placed[],
  asker: Asker,
): Promise<Placed[]> {
  if (items.length === 0) return items;
  try {
    return await placesOf(diffs, of, items, asker);
  } catch (error) {
    if (error instanceof DiffTooLarge) return items;
    // The client has gone, or the server is stopping.
    throw asker.signal.aborted || wasEnded(error) ? placesBusy() : error;
  }
}
