import type { Person, Presenter } from './presenter.ts';
import type { Tenant } from './tenant.ts';

/**
 * A task from a message to a commit, with the sandbox agent, paid by the tenant's balance. Returns
 * its id, and its last event.
 */
export async function carryOutTask(
  presenter: Presenter,
  { ada, carol }: { ada: Person; carol: Person },
  { workspace, project, card }: Tenant & { card: string },
): Promise<{ id: string; last: number }> {
  const org_id = workspace;
  await presenter.send({
    title: 'Add funds to the new workspace: they pay for its tasks',
    as: ada,
    call: (guildhall) =>
      guildhall.post('/api/organizations/{org_id}/billing/add-funds', {
        org_id,
        body: { amount: 20, payment_method_id: card },
      }),
    promised: { status: 200, body: { amount_charged: 20, new_balance: 20, status: 'succeeded' } },
  });
  const { id: task_id } = await presenter.send({
    title: 'Create a task with a message to the agent',
    as: carol,
    call: (guildhall) =>
      guildhall.post('/api/projects/{project_id}/tasks', {
        project_id: project,
        body: { message: 'Add notes/greeting.md with a greeting.' },
      }),
    promised: { status: 201, body: { status: 'queued', spend: { amount: '0.00' } } },
  });
  const seen = await presenter.watch({
    title: 'Watch the agent plan',
    as: carol,
    taskId: task_id,
    until: { type: 'status', status: 'awaiting_approval' },
  });
  await presenter.send({
    title: 'Read the plan',
    as: carol,
    call: (guildhall) => guildhall.get('/api/tasks/{task_id}/plan', { task_id }),
    promised: { status: 200, body: { version: 1, author: 'agent' } },
  });
  await presenter.send({
    title: 'Approve it: only now may the agent change anything',
    as: carol,
    call: (guildhall) => guildhall.post('/api/tasks/{task_id}/plan/approve', { task_id }),
    promised: { status: 200, body: { version: 1, newly_approved: true } },
  });
  const built = await presenter.watch({
    title: 'Watch the agent build, from the next event on',
    as: carol,
    taskId: task_id,
    after: seen,
    until: { type: 'status', status: 'ready' },
  });
  await presenter.send({
    title: 'See what the task has cost',
    as: carol,
    call: (guildhall) => guildhall.get('/api/tasks/{task_id}', { task_id }),
    promised: { status: 200, body: { status: 'ready', spend: { amount: '0.007' } } },
  });
  await presenter.send({
    title: 'See the balance that paid for it',
    as: ada,
    call: (guildhall) => guildhall.get('/api/organizations/{org_id}/billing/balance', { org_id }),
    promised: { status: 200, body: { balance: '19.993', held: '0.00' } },
  });
  return { id: task_id, last: built };
}
