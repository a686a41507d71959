import type { Fixtures } from './fixtures.ts';

/** A task with a plan that waits for approval, in a workspace of its own. */
export async function plannedTask(fixtures: Fixtures, ...texts: string[]) {
  const owner = await fixtures.user();
  const workspace = await fixtures.workspace(owner);
  const project = await fixtures.project({ organizationId: workspace });
  const task = await fixtures.task(project, owner);
  for (const text of texts.length === 0 ? ['the plan'] : texts) await fixtures.revision(task, text);
  const viewer = await fixtures.user();
  await fixtures.member(workspace, viewer, 'viewer');
  const member = await fixtures.user();
  await fixtures.member(workspace, member);
  const guest = await fixtures.user();
  await fixtures.grant(project, guest, 'member');
  const stranger = await fixtures.user();
  return {
    owner,
    workspace,
    project,
    task,
    plan: `/api/tasks/${task}/plan`,
    /** People who may change the plan, and people who may not. */
    may: [owner, member, guest],
    mayNot: [viewer, stranger],
  };
}
