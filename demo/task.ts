import type { DemoClient } from './client.ts';
import type { Person, Tenant } from './tenant.ts';

/**
 * A task from a message to a commit, with the sandbox agent, paid by the tenant's balance. Returns
 * its id, and its last event.
 */
export async function carryOutTask(
  client: DemoClient,
  { ada, carol }: { ada: Person; carol: Person },
  { workspace, project, card }: Tenant & { card: string },
): Promise<{ id: string; last: number }> {
  const billing = `/api/organizations/${workspace}/billing`;
  await client.send({
    title: 'Add funds to the new workspace: they pay for its tasks',
    as: ada,
    method: 'POST',
    path: `${billing}/add-funds`,
    body: { amount: 20, payment_method_id: card },
    promised: { status: 200, body: { amount_charged: 20, new_balance: 20, status: 'succeeded' } },
  });
  const { id } = await client.send({
    title: 'Create a task with a message to the agent',
    as: carol,
    method: 'POST',
    path: `/api/projects/${project}/tasks`,
    body: { message: 'Add notes/greeting.md with a greeting.' },
    promised: { status: 201, body: { status: 'queued', spend: { amount: '0.00' } } },
  });
  const task = `/api/tasks/${id}`;
  const seen = await client.watch({
    title: 'Watch the agent plan',
    as: carol,
    path: `${task}/events`,
    until: { type: 'status', status: 'awaiting_approval' },
  });
  await client.send({
    title: 'Read the plan',
    as: carol,
    method: 'GET',
    path: `${task}/plan`,
    promised: { status: 200, body: { version: 1, author: 'agent' } },
  });
  await client.send({
    title: 'Approve it: only now may the agent change anything',
    as: carol,
    method: 'POST',
    path: `${task}/plan/approve`,
    promised: { status: 200, body: { version: 1, newly_approved: true } },
  });
  const built = await client.watch({
    title: 'Watch the agent build, from the next event on',
    as: carol,
    path: `${task}/events`,
    after: seen,
    until: { type: 'status', status: 'ready' },
  });
  await client.send({
    title: 'See what the task has cost',
    as: carol,
    method: 'GET',
    path: task,
    promised: { status: 200, body: { status: 'ready', spend: { amount: '0.007' } } },
  });
  await client.send({
    title: 'See the balance that paid for it',
    as: ada,
    method: 'GET',
    path: `${billing}/balance`,
    promised: { status: 200, body: { balance: '19.993', held: '0.00' } },
  });
  return { id, last: built };
}
