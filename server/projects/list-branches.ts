import Type from 'typebox';
import { onRepository } from '../access/repository.ts';
import {
  answered,
  type Branch,
  type Branches,
  type CodeHosts,
  type GithubServices,
  githubBusy,
  gitLate,
  hostErrors,
  localMain,
  repositoryElsewhere,
  type ShownBranch,
  shownBranch,
  TooManyBranches,
} from '../code/index.ts';
import type { Tx } from '../db/database/database.ts';
import { sql } from '../db/sql.ts';
import { apiError } from '../http/errors.ts';
import { tooManyStreams } from '../http/event-stream.ts';
import { text } from '../http/input/fields.ts';
import { cursorInvalid, decodeCursor, nextLink, pages } from '../http/paging.ts';
import { type Answer, ids, route } from '../http/route.ts';
import { createTransfers } from '../http/transfers.ts';
import { hostBranches, type OnHost, onHost } from './host-branches.ts';

const tooManyBranches = apiError(
  409,
  'too_many_branches',
  'The repository has more than 20,000 branches: read them with git ls-remote, and delete some',
);

/** Too many are being read or wait for it, of all callers or of this one. */
const branchesBusy = apiError(
  503,
  'branches_busy',
  'Too many lists of branches are being read, or too many for you: wait until one is done, then ' +
    'try again',
  { 'retry-after': '5' },
);

/** The branches of a repository of a project. */
export const listBranches = ({
  branches,
  hosts,
  githubTransfers,
}: Pick<GithubServices, 'githubTransfers'> & { branches: Branches; hosts: CodeHosts }) => {
  const transfers = createTransfers(branchesBusy, { limit: 64, perUser: 4 });
  return route({
    method: 'GET',
    path: '/api/projects/{project_id}/repositories/{repository_id}/branches',
    area: 'Projects',
    operationId: 'list_branches',
    summary: 'List branches',
    description:
      'The branches of the repository in pages, sorted by the bytes of their names; of one on ' +
      'another host in its order. A repository that nothing was built in or pushed to yet has none. ' +
      'Everyone who can open the project may see them.',
    access: onRepository('open_project'),
    params: ids('project_id', 'repository_id'),
    query: Type.Object({
      q: Type.Optional(
        text({ minLength: 1, maxLength: 200, description: 'Part of the name, in any case.' }),
      ),
      ...pages,
    }),
    responses: {
      200: {
        description: 'By name.',
        headers: ['Link'],
        schema: Type.Array(shownBranch),
        example: [
          { name: 'main', head_sha: 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391', is_default: true },
        ],
      },
    },
    errors: [
      cursorInvalid,
      tooManyBranches,
      repositoryElsewhere,
      branchesBusy,
      gitLate,
      tooManyStreams,
      githubBusy,
      ...hostErrors,
    ],
    handle: ({ query, url, statement, begin }) => {
      const [after = ''] = decodeCursor(query.cursor, [/^/]) ?? [];
      return statement<OnHost & { built: boolean }>(
        {
          select: sql`
            select ${localMain(sql`authorized`)}
                   and exists (select from task t join task_turn u on u.task_id = t.id
                                where t.project_id = authorized.project_id
                                  and u.mode = 'build') as built,
                   ${onHost}
              from authorized`,
        },
        ({ project_id, full_name, default_branch, built, userId, place }) => {
          const ofThisServer = async (signal: AbortSignal) => {
            const all = await read(branches, { projectId: project_id, name: full_name }, built, {
              userId,
              signal,
            });
            const found = all.filter(({ key, name }) => key > after && contains(name, query.q));
            const shown = found.slice(0, query.limit);
            return { shown, next: found.length > shown.length ? shown.at(-1)?.key : undefined };
          };
          const later = async (signal: AbortSignal): Promise<Answer> => {
            const { shown, next } =
              place === null
                ? await ofThisServer(signal)
                : await hostBranches({ hosts, githubTransfers }, place, {
                    userId,
                    query,
                    signal,
                  });
            const begun = shown.flatMap(({ key }) => OF_TASK.exec(key)?.[1] ?? []);
            const tasks =
              begun.length === 0
                ? new Map<string, string>()
                : await begin((tx) => tasksOf(tx, project_id, begun));
            return {
              status: 200,
              body: shown.map((branch) => show(branch, default_branch, tasks)),
              headers: next === undefined ? {} : nextLink(url, query.limit, [next]),
            };
          };
          return { status: 200, later: (signal) => transfers.run(userId, () => later(signal)) };
        },
      );
    },
  });
};

async function read(
  branches: Branches,
  repository: { projectId: string; name: string },
  built: boolean,
  asker: { userId: string; signal: AbortSignal },
): Promise<Branch[]> {
  try {
    const all = await answered(branches.list(repository, asker));
    if (all === undefined && built) throw repositoryElsewhere();
    return all ?? [];
  } catch (error) {
    throw error instanceof TooManyBranches ? tooManyBranches() : error;
  }
}

const contains = (name: string, part: string | undefined): boolean =>
  part === undefined || name.normalize('NFC').toLowerCase().includes(part.toLowerCase());

const OF_TASK = /^task\/([0-9a-f]{8})$/;

/** The ids of tasks by their first eight characters, of those that the branches name. */
async function tasksOf(
  tx: Tx,
  projectId: string,
  begun: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.many<{ id: string }>(sql`
    select t.id
      from unnest(${begun}::text[]) b (begun)
      join task t on t.id between (b.begun || '-0000-0000-0000-000000000000')::uuid
                              and (b.begun || '-ffff-ffff-ffff-ffffffffffff')::uuid
     where t.project_id = ${projectId}`);
  return new Map(rows.map(({ id }) => [id.slice(0, 8), id]));
}

function show(
  { name, key, head }: Branch,
  defaultBranch: string,
  tasks: ReadonlyMap<string, string>,
): ShownBranch {
  const task = tasks.get(OF_TASK.exec(key)?.[1] ?? '');
  return {
    name,
    head_sha: head,
    is_default: name === defaultBranch,
    ...(task === undefined ? {} : { task_id: task }),
  };
}
