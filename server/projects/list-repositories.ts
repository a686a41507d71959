import Type from 'typebox';
import { onProject } from '../access/project.ts';
import { sql } from '../db/sql.ts';
import { type Listed, listed, page } from '../http/list.ts';
import { cursorInvalid, paging } from '../http/paging.ts';
import { ids, route } from '../http/route.ts';
import type { RepositoryResource } from './repository.ts';

/** The repositories of a project; its tasks work in `main`. */
export const listRepositories = ({ repository }: { repository: RepositoryResource }) =>
  route({
    method: 'GET',
    path: '/api/projects/{project_id}/repositories',
    area: 'Projects',
    operationId: 'list_repositories',
    summary: 'List repositories',
    description:
      'The repositories that the project uses, in the order in which they were attached. Its ' +
      'tasks work in `main`. Everyone who can open the project may see them.',
    access: onProject('open_project'),
    params: ids('project_id'),
    query: Type.Object(paging),
    responses: { 200: repository.listed('In the order in which they were attached.') },
    errors: [cursorInvalid],
    handle: ({ query, url, statement }) =>
      statement<Listed>(
        { select: listed({ ...repositories, json: repository.json }, query) },
        page(url, query.limit),
      ),
  });

const repositories = {
  rows: sql`from authorized join repository t on t.project_id = authorized.project_id where true`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
} as const;
