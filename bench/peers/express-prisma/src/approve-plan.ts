import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { z } from 'zod';
import { type Caller, callerOf } from './auth.js';
import { HttpError } from './errors.js';
import type { Prisma } from './generated/client.js';
import { peopleOf, withPeople } from './people.js';
import { builtInRoles, prisma } from './prisma.js';

const Params = z.object({ taskId: z.guid() });

interface LockedPlan {
  version: number;
  approved_version: number | null;
  approved_by_user_id: string;
  approved_at: Date;
}

export const approvePlan: RequestHandler = async (request, response) => {
  const { taskId } = Params.parse(request.params);
  const caller = callerOf(response);
  const organizationId = await mayApprove(caller, taskId);
  response.json(await prisma.$transaction((tx) => approve(tx, caller, taskId, organizationId)));
};

async function mayApprove(caller: Caller, taskId: string): Promise<string | null> {
  const task = await prisma.task.findUnique({
    where: { id: taskId },
    select: { project: { select: withPeople(caller.userId) } },
  });
  if (!task) throw new HttpError(404, 'No such task');
  const self = peopleOf(task.project, builtInRoles).find(({ user }) => user.id === caller.userId);
  if (!self || self.hiddenReason || self.role.actsAs === 'viewer')
    throw new HttpError(403, 'Not allowed');
  return task.project.organizationId;
}

async function approve(
  tx: Prisma.TransactionClient,
  caller: Caller,
  taskId: string,
  organizationId: string | null,
) {
  // Prisma has no row lock of its own: concurrent approvals wait here, and find the plan approved.
  const [plan] = await tx.$queryRaw<LockedPlan[]>`
    select version, approved_version, approved_by_user_id, approved_at
      from plan where task_id = ${taskId}::uuid for update`;
  if (!plan) throw new HttpError(404, 'This task has no plan yet');
  const { version } = plan;
  if (plan.approved_version === version)
    return answer(taskId, version, plan.approved_at, plan.approved_by_user_id, false);

  const approval = { approvedByUserId: caller.userId, approvedAt: new Date() };
  await tx.planApproval.create({ data: { taskId, version, ...approval } });
  await tx.plan.update({ where: { taskId }, data: { approvedVersion: version, ...approval } });
  await tx.outbox.create({
    data: {
      topic: 'agent_start',
      key: `${taskId}:${version}`,
      payload: { task_id: taskId, version },
    },
  });
  await tx.auditEvent.create({
    data: {
      actorUserId: caller.userId,
      keyId: caller.keyId,
      action: 'plan.approve',
      outcome: 'done',
      targetId: taskId,
      organizationId,
      before: { approved_version: plan.approved_version },
      after: { approved_version: version },
      requestId: randomUUID(),
    },
  });
  return answer(taskId, version, approval.approvedAt, caller.userId, true);
}

const answer = (taskId: string, version: number, at: Date, by: string, newlyApproved: boolean) => ({
  task_id: taskId,
  version,
  approved_version: version,
  approved_at: at,
  approved_by_user_id: by,
  newly_approved: newlyApproved,
});
