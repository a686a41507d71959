import Type from 'typebox';
import { onTask } from '../../access/project.ts';
import { sql } from '../../db/sql.ts';
import { type Listed, listed, page } from '../../http/list.ts';
import { cursorInvalid, paging } from '../../http/paging.ts';
import { resource } from '../../http/resource.ts';
import { ids, route } from '../../http/route.ts';
import { planText, versionFields } from './plan.ts';

const { task_id, version, ...rest } = versionFields;

/** A version in a list, without its text. */
const listedVersion = resource('PlanVersionListed', {
  task_id,
  version,
  sha256: planText.sha256,
  ...rest,
});

/** The versions of a plan: who wrote each, and who approved it. */
export const listPlanVersions = route({
  method: 'GET',
  path: '/api/tasks/{task_id}/plan/versions',
  area: 'Plans & Artifacts',
  operationId: 'list_plan_versions',
  summary: 'List the versions of a plan',
  description:
    'Every version of the plan without its text, newest first. A task without a plan has none.',
  access: onTask('open_project'),
  params: ids('task_id'),
  query: Type.Object(paging),
  responses: { 200: listedVersion.listed('Newest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>({ select: listed(versions, query) }, page(url, query.limit)),
});

const versions = {
  json: listedVersion.json,
  rows: sql`
    from plan_revision r
    left join plan_approval a on a.task_id = r.task_id and a.version = r.version
   where r.task_id = (select task_id from authorized)`,
  order: [{ by: sql`r.version`, type: 'integer' }],
  descending: true,
} as const;
