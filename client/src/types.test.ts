import { test } from 'node:test';
import {
  type CodeOf,
  createClient,
  GuildhallError,
  type OperationAt,
  type paths,
} from './index.ts';

/** What the compiler accepts and refuses; nothing of it runs. */

const guildhall = createClient({ baseUrl: 'http://guildhall.invalid' });
const org_id = '';
const task_id = '';

/** Another document, as that of a server's own pages. */
interface OtherPaths {
  '/auth/sign-in': {
    post: {
      parameters: { query?: never; path?: never };
      requestBody: { content: { 'application/json': { email: string; password: string } } };
      responses: {
        200: { content: { 'application/json': { pending: boolean } } };
        default: { content: { 'application/json': { code: 'wrong_credentials' } } };
      };
    };
    get?: never;
  };
}

async function accepted(): Promise<void> {
  const { email }: { email: string } = await guildhall.get('/api/account');
  const task = await guildhall.get('/api/tasks/{task_id}', { task_id });
  task.available_actions.includes('approve_plan');
  const nothing: undefined = await guildhall.delete('/api/organizations/{org_id}/teams/{team_id}', {
    org_id,
    team_id: email,
  });
  for await (const member of guildhall.list('/api/organizations/{org_id}/members', { org_id }))
    member.user_id.toUpperCase();
  const page = await guildhall.page('/api/organizations/{org_id}/audit-events', { org_id });
  if (page.next) await guildhall.page('/api/organizations/{org_id}/audit-events', page.next);
  for await (const event of guildhall.stream('/api/tasks/{task_id}/events', { task_id }))
    event.seq.toFixed();
  const file = { task_id, attachment_id: '' };
  const content = '/api/tasks/{task_id}/attachments/{attachment_id}/content';
  await (await guildhall.download(content, file)).blob();
  const body = new Blob(['a,b']);
  await guildhall.post('/api/tasks/{task_id}/attachments', { task_id, filename: 'a.csv', body });
  const { error } = await guildhall.post('/api/tasks/{task_id}/plan/approve', { task_id }).result();
  if (error?.code === 'plan_changed') error.body.version?.toString();
  const other = createClient<OtherPaths>({ baseUrl: '', idempotencyKeys: false });
  const { pending } = await other.post('/auth/sign-in', { body: { email, password: '' } });
  return pending ? nothing : undefined;
}

async function refused(): Promise<void> {
  // @ts-expect-error: no such path
  await guildhall.get('/api/acount');
  // @ts-expect-error: no such method of this path
  await guildhall.delete('/api/account');
  // @ts-expect-error: the path needs an argument
  await guildhall.get('/api/tasks/{task_id}');
  // @ts-expect-error: misspelled
  await guildhall.get('/api/tasks/{task_id}', { taskId: task_id });
  // @ts-expect-error: no such parameter of the query
  await guildhall.get('/api/organizations/{org_id}/members', { org_id, rolle: 'admin' });
  // @ts-expect-error: another type
  await guildhall.get('/api/organizations/{org_id}/members', { org_id, limit: 'many' });
  // @ts-expect-error: the body is missing
  await guildhall.post('/api/organizations', {});
  // @ts-expect-error: a field of the body is missing
  await guildhall.post('/api/organizations', { body: { color: '#000000' } });
  // @ts-expect-error: this operation has no body
  await guildhall.post('/api/tasks/{task_id}/cancel', { task_id, body: {} });
  // @ts-expect-error: this operation takes no change without a version
  await guildhall.put('/api/tasks/{task_id}/plan', { task_id, body: { text: '' } });
  // @ts-expect-error: a file has no JSON: download it
  await guildhall.get('/api/tasks/{task_id}/artifacts/{artifact_id}/content', {});
  // @ts-expect-error: not a list
  guildhall.list('/api/account');
  // @ts-expect-error: not a stream
  guildhall.stream('/api/account');
  const task = await guildhall.get('/api/tasks/{task_id}', { task_id });
  // @ts-expect-error: no such field
  task.titel;
  const { data, error } = await guildhall.get('/api/account').result();
  // @ts-expect-error: there is no data if there is an error
  data.email;
  // @ts-expect-error: this operation has no such error
  error?.code === 'plan_changed';
  const other = createClient<OtherPaths>({ baseUrl: '' });
  // @ts-expect-error: not a path of this document
  await other.get('/api/account');
}

type Approve = OperationAt<paths, 'post', '/api/tasks/{task_id}/plan/approve'>;

/** Every error is handled: the compiler names one that a new version adds. */
function exhaustive(code: Extract<CodeOf<Approve>, `plan_${string}`>): string {
  switch (code) {
    case 'plan_changed':
      return 'read it again';
    case 'plan_not_found':
      return 'wait for it';
    case 'plan_removed':
      return 'ask for another';
  }
}

test('the client accepts what the API describes, and refuses everything else', (t) => {
  t.diagnostic(`compiled: ${[accepted, refused, exhaustive].map(({ name }) => name).join(', ')}`);
  const error: unknown = new Error();
  if (GuildhallError.is(error, 'forbidden')) error.code satisfies 'forbidden';
});
