import Type, { type Static } from 'typebox';
import { onProject } from '../../access/project.ts';
import { nothing, sql } from '../../db/sql.ts';
import { oneOf, text } from '../../http/input/fields.ts';
import { type Listed, type ListParts, listed, page } from '../../http/list.ts';
import { cursorInvalid, pages } from '../../http/paging.ts';
import { ids, route } from '../../http/route.ts';
import { deploy, STAGES, STATES } from './deploy.ts';

const query = Type.Object({
  ...pages,
  branch: Type.Optional(
    text({ minLength: 1, maxLength: 200, description: 'Only those of this branch.' }),
  ),
  stage: Type.Optional(oneOf([...STAGES], { description: 'Only those of this stage.' })),
  state: Type.Optional(oneOf([...STATES], { description: 'Only those in this state.' })),
});

/** What was deployed of a project, and is about to be. */
export const listDeploys = route({
  method: 'GET',
  path: '/api/projects/{project_id}/deploys',
  area: 'Pull Requests & Deploys',
  operationId: 'list_deploys',
  summary: 'List deploys',
  description:
    'The deploys of the project, newest first: each merge of a task makes one. In a repository of ' +
    'this server, a worker runs the command that `.guildhall.yml` of the merged commit has for ' +
    'the stage; one at a time for each branch, and the newest instead of older ones that wait. ' +
    'Everyone who can open the project may see them. Always in pages: 50 entries, unless `limit` ' +
    'says otherwise.',
  access: onProject('open_project'),
  params: ids('project_id'),
  query,
  responses: { 200: deploy.listed('Newest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(deploys(query), query) }, page(url, query.limit)),
});

// The project is a subquery, so that an index in the order of the list serves it.
const deploys = ({ branch, stage, state }: Static<typeof query>): ListParts => ({
  json: deploy.json,
  rows: sql`
    from deploy t
    cross join authorized
    left join merge m on m.id = t.merge_id
   where t.project_id = (select project_id from authorized)
     ${branch === undefined ? nothing : sql`and t.branch = ${branch}`}
     ${stage === undefined ? nothing : sql`and t.stage = ${stage}`}
     ${state === undefined ? nothing : sql`and t.state = ${state}`}`,
  order: [
    { by: sql`t.created_at`, type: 'timestamptz' },
    { by: sql`t.id`, type: 'uuid' },
  ],
  descending: true,
});
