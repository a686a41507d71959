import { randomUUID } from 'node:crypto';
import { ForbiddenException, Injectable, NotFoundException } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import type { Prisma } from '../generated/client';
import { PrismaService } from '../prisma.service';
import { BuiltInRoles } from '../projects/built-in-roles';
import { peopleOf, withPeople } from '../projects/people';

interface LockedPlan {
  version: number;
  approved_version: number | null;
  approved_by_user_id: string;
  approved_at: Date;
}

@Injectable()
export class PlansService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly builtIn: BuiltInRoles,
  ) {}

  async approve(caller: Caller, taskId: string) {
    const organizationId = await this.mayApprove(caller, taskId);
    return this.prisma.$transaction((tx) => approve(tx, caller, taskId, organizationId));
  }

  private async mayApprove(caller: Caller, taskId: string): Promise<string | null> {
    const task = await this.prisma.task.findUnique({
      where: { id: taskId },
      select: { project: { select: withPeople(caller.userId) } },
    });
    if (!task) throw new NotFoundException();
    const self = peopleOf(task.project, this.builtIn).find(({ user }) => user.id === caller.userId);
    if (!self || self.hiddenReason || self.role.actsAs === 'viewer') throw new ForbiddenException();
    return task.project.organizationId;
  }
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
  if (!plan) throw new NotFoundException('This task has no plan yet');
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
