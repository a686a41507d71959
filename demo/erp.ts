import assert from 'node:assert/strict';
import type { Person, Presenter } from './presenter.ts';

/**
 * A task whose agent works with an ERP system of its own. Nothing else is set up here, so that is
 * the fake Odoo (docs/erp.md).
 */
export async function useErp(
  presenter: Presenter,
  carol: Person,
  project_id: string,
): Promise<void> {
  const { id: task_id } = await presenter.send({
    title: 'Create a task whose agent is to look into an ERP system',
    as: carol,
    call: (guildhall) =>
      guildhall.post('/api/projects/{project_id}/tasks', {
        project_id,
        body: { message: 'Add notes/partners.md with a partner. [[erp]]' },
      }),
    promised: { status: 201, body: { status: 'queued' } },
  });
  const path = '/api/tasks/{task_id}/odoo-instance';
  const { id } = await presenter.send({
    title: 'Start an ERP system of its own: here a fake Odoo, which is thrown away',
    as: carol,
    call: (guildhall) => guildhall.post(path, { task_id }),
    promised: {
      status: 202,
      body: { status: 'starting', erp_version: '19.0', edition: 'community' },
    },
  });
  await presenter.poll({
    title: 'Wait until it runs',
    as: carol,
    call: (guildhall) => guildhall.get(path, { task_id }),
    progress: 'status',
    until: { id, status: 'running' },
  });
  const seen = await presenter.watch({
    title: 'Watch the agent plan',
    as: carol,
    taskId: task_id,
    until: { type: 'status', status: 'awaiting_approval' },
  });
  await presenter.send({
    title: 'Approve its plan',
    as: carol,
    call: (guildhall) => guildhall.post('/api/tasks/{task_id}/plan/approve', { task_id }),
    promised: { status: 200, body: { version: 1, newly_approved: true } },
  });
  const target = { id, name: 'Throwaway instance' };
  const call = { model: 'res.partner', method: 'search_read', allowed: true, status: 200 };
  const text = `I have read from the instance ${target.name}: Odoo 19.0, the partner Example Ltd.`;
  await presenter.watch({
    title: 'Watch it read the version and a partner; calls of the ERP system are events',
    as: carol,
    taskId: task_id,
    after: seen,
    among: [
      { type: 'erp_call', target, kind: 'instance', ...call },
      { type: 'tool_call_update', status: 'completed', content: [{ type: 'text', text }] },
    ],
    until: { type: 'status', status: 'ready' },
  });
  await presenter.send({
    title: 'Stop the ERP system',
    as: carol,
    call: (guildhall) => guildhall.delete(path, { task_id }),
    promised: { status: 200, body: { id, status: 'stopping' } },
  });
  await presenter.poll({
    title: 'Wait until it is gone with its data',
    as: carol,
    call: (guildhall) => guildhall.get(path, { task_id }),
    progress: 'status',
    until: { code: 'odoo_instance_not_found' },
  });
  const { total } = await presenter.send({
    title: 'See the seconds in which it ran; the catalog says what an hour costs, and here nothing',
    as: carol,
    call: (guildhall) =>
      guildhall.get('/api/tasks/{task_id}/usage', { task_id, kind: 'erp_instance' }),
    promised: { status: 200, body: { total: { amount: '0.00', lines: 1 } } },
  });
  assert.ok((total?.pod_seconds ?? 0) > 0, 'no second of the ERP system is in the usage');
}
