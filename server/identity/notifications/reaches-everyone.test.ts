import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { LOCALHOST } from '../../testing/fakes/mail-server/certificates.ts';
import { startMailServer } from '../../testing/fakes/mail-server/mail-server.ts';
import { startPushService } from '../../testing/fakes/push-service.ts';
import { signIn } from '../../testing/fixtures/identity/session.ts';
import { taskServers } from '../../testing/fixtures/runner/task-servers.ts';
import { startReceiver } from '../../testing/fixtures/webhooks.ts';
import { until } from '../../testing/harness/until.ts';

/** A real server with the sandbox agent, a mail server with TLS and a login, a push service and a webhook. */

const tasks = await taskServers();
const login = { user: 'guildhall', password: 'open sesame' };
const mails = await startMailServer({ encryption: 'tls', login });
after(() => mails.close());

test('a plan that waits reaches the person by mail, by push and by webhook', async (t) => {
  const authority = join(tasks.dataDir, '..', 'authority.pem');
  await writeFile(authority, LOCALHOST.cert);
  const server = await tasks.serve([], {
    SMTP_URL: `smtps://guildhall:${encodeURIComponent(login.password)}@localhost:${mails.port}`,
    NODE_EXTRA_CA_CERTS: authority,
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
  });
  const push = await startPushService();
  const receiver = await startReceiver();
  const cookie = await signIn(tasks, tasks.owner);
  const subscribed = await fetch(`${server.url}/auth/push`, {
    method: 'PUT',
    headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify(push.subscription),
  });
  assert.equal(subscribed.status, 204, await subscribed.text());
  const { secret } = await tasks.call<{ secret: string }>(
    server,
    'POST',
    `projects/${tasks.project}/webhooks`,
    { name: 'Hook', url: receiver.url, event_types: ['task.plan_waiting'] },
  );
  const task = await tasks.create(server, 'Write the notes');
  const ofTask = () => mails.received.filter(({ raw }) => raw.replaceAll('=\n', '').includes(task));
  await until(
    'all three',
    async () => ofTask().length > 0 && push.shown.length > 0 && receiver.messages.length > 0,
    60_000,
  );
  const { timestamp } = JSON.parse(receiver.messages[0]?.text ?? '');
  t.diagnostic(`all three ${Date.now() - Date.parse(timestamp)} ms after the plan`);

  const [mail] = ofTask();
  assert.deepEqual(
    [mail?.secure, mail?.user, mail?.recipient],
    [true, login.user, tasks.owner.email],
  );
  const unfolded = mail?.raw.replaceAll(/\n[ \t]+/g, ' ') ?? '';
  assert.match(unfolded, /^List-Unsubscribe: <http\S+\/unsubscribe\/\S+>$/m);
  assert.match(unfolded, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
  assert.ok(push.shown[0]?.url.endsWith(`/tasks/${task}`));
  const [event] = receiver.messages;
  const verified = new Webhook(secret).verify(
    event?.text ?? '',
    event?.headers as Record<string, string>,
  );
  assert.equal((verified as { data: { task_id: string } }).data.task_id, task);
});
