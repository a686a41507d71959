import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';

/** Whatever the API can do, a person can do in the dashboard, or a reason stands here. */

const ROOT = join(import.meta.dirname, '../..');

/** Operations that pages need not call, each with the reason. */
const WITHOUT: Record<string, string> = {
  add_funds: 'begin_top_up does the same in two steps, between which a card may be confirmed',
  add_workspace_funds:
    'begin_workspace_top_up does the same in two steps, between which a card may be confirmed',
  get_role: 'list_roles has every role whole, and the page of roles shows it',
  get_deploy: 'list_deploys has every deploy whole, and the page of deploys shows it',
  get_artifact: 'list_artifacts has every artifact whole, and the panel of files shows it',
  get_invoice: 'list_invoices has every invoice whole, and its dialog shows it',
  get_workspace_invoice: 'list_workspace_invoices has every invoice whole, and its dialog shows it',
  get_webhook: 'the lists have every webhook whole, and their page shows it',
  get_task_usage: 'list_task_turns has what each turn has cost, and the panel of costs shows it',
  export_task_usage: 'the panel of costs shows every turn, and a file has those of a whole project',
};

/** Those that are called by an address that is put together: the file, and what calls there. */
const ASSEMBLED: Record<string, readonly [file: string, text: string]> = {
  create_attachment: ['pages/task/composer.tsx', 'useUploads(`/api/tasks/$'],
  create_project_attachment: ['pages/project/new-task.tsx', 'useUploads(id && `/api/projects/$'],
  upload_odoo_dump: ['pages/project/erp-dump.tsx', '/odoo-dump?$'],
  start_pod: ['pages/task/pod-panel.tsx', '/api/tasks/{task_id}/pod/$'],
  stop_pod: ['pages/task/pod-panel.tsx', '/api/tasks/{task_id}/pod/$'],
  export_usage: ['pages/usage/usage.tsx', 'list="usage"'],
  export_project_usage: ['pages/usage/usage.tsx', 'list="usage"'],
  export_workspace_usage: ['pages/usage/usage.tsx', 'list="usage"'],
  export_transactions: ['pages/billing/transactions.tsx', 'list="billing/transactions"'],
  export_workspace_transactions: ['pages/billing/transactions.tsx', 'list="billing/transactions"'],
  export_audit_events: ['pages/workspace/audit.tsx', 'list="audit-events"'],
  get_invoice_pdf: ['pages/billing/invoices.tsx', '/billing/invoices/$'],
  get_workspace_invoice_pdf: ['pages/billing/invoices.tsx', '/billing/invoices/$'],
};

const VERBS: Record<string, string> = {
  get: 'get',
  list: 'get',
  page: 'get',
  stream: 'get',
  download: 'get',
  post: 'post',
  put: 'put',
  delete: 'delete',
};

const SOURCES = join(ROOT, 'web/src');
const sources = new Map(
  globSync('**/*.{ts,tsx}', { cwd: SOURCES })
    .filter((file) => !file.endsWith('auth-schema.d.ts'))
    .map((file) => [file, readFileSync(join(SOURCES, file), 'utf8')]),
);

/** The operations that a file calls by the client, as `get /api/…`, and what it links to. */
function callsOf(text: string): string[] {
  const calls: string[] = [];
  const constants = [...text.matchAll(/const (\w+) =\s*'(\/api\/[^']*)'/g)];
  for (const { 1: verb = '', 2: path, 3: start, 4: rest = '', 5: name, index } of text.matchAll(
    /\.(get|list|page|stream|download|post|put|delete)\(\s*(?:'(\/api\/[^']*)'|`\$\{(\w+)\}(\/[^`$]*)`|(\w+)\b)/g,
  )) {
    // A constant of that name that stands before, the last one.
    const called = start ?? name;
    const named = constants.findLast((each) => each[1] === called && each.index < index)?.[2];
    if (path ?? named) calls.push(`${VERBS[verb]} ${path ?? `${named}${rest}`}`);
  }
  for (const [, address = ''] of text.matchAll(/`(\/api\/[^`?]*)[`?]/g))
    calls.push(`get ${address.replaceAll(/\$\{[^}]*\}/g, '{}')}`);
  return calls;
}

interface Operation {
  operationId?: string;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: { properties?: object } }> };
}

const { paths } = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId }]) =>
    operationId === undefined ? [] : [{ id: operationId, method, path }],
  ),
);
const called = new Set([...sources.values()].flatMap(callsOf));
const isCalled = ({ method, path }: { method: string; path: string }): boolean =>
  called.has(`${method} ${path}`) || called.has(`${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);

const excused = new Set([...Object.keys(WITHOUT), ...Object.keys(ASSEMBLED)]);

test('the dashboard calls every operation, but for those with a reason', () => {
  assert.ok(operations.length > 150, `${operations.length} operations`);
  const left = operations
    .filter((each) => !(isCalled(each) || excused.has(each.id)))
    .map(({ id }) => id);
  assert.deepEqual(left, [], 'give them a control, or a reason in WITHOUT');
});

test('no reason is kept for an operation that is called or gone, and what is assembled is there', () => {
  for (const id of excused) {
    const operation = operations.find((each) => each.id === id);
    assert.ok(operation, `${id} is no operation any more`);
    assert.ok(!isCalled(operation), `${id} is called: take it out of the list`);
  }
  for (const [id, [file, text]] of Object.entries(ASSEMBLED))
    assert.ok(
      sources.get(file)?.includes(text),
      `${id}: ${relative(ROOT, join(SOURCES, file))} has no ${text}`,
    );
});

/** Fields that have a control, each with where a browser test uses it. */
const FIELDS: Record<string, readonly [fields: string, test: string]> = {
  merge_task: ['expected_head_sha force method', 'merge.test.ts'],
  list_tasks: ['archived created_by model q sort status', 'task-lists.test.ts'],
  list_my_tasks: ['created_by merged model project_id q status', 'task-lists.test.ts'],
};

/** Fields that need no control, each with the reason. */
const NO_CONTROL: Record<string, readonly string[]> = {
  // What is in the archive is looked for in its project; the board is ordered by the last change.
  list_my_tasks: ['archived', 'sort'],
};

test('a new field of a merge, or of a list of tasks, gets a control', () => {
  for (const [id, [fields, file]] of Object.entries(FIELDS)) {
    const operation = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .find(({ operationId }) => operationId === id);
    const query = operation?.parameters?.filter((each) => each.in === 'query') ?? [];
    const body = operation?.requestBody?.content['application/json']?.schema.properties ?? {};
    const names = [...query.map(({ name }) => name), ...Object.keys(body)]
      .filter((name) => !['limit', 'cursor', ...(NO_CONTROL[id] ?? [])].includes(name))
      .toSorted();
    assert.equal(names.join(' '), fields, `${id}: give it a control, and use it in ${file}`);
  }
});
