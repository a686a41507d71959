import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { z } from 'zod';
import { administered, type Caller, callerOf } from './auth.js';
import { HttpError } from './errors.js';
import { Prisma, type Team } from './generated/client.js';
import { prisma } from './prisma.js';

const Params = z.object({ orgId: z.guid(), teamId: z.guid() });

const Changes = z.object({
  name: z.string().trim().min(1).max(100).nullish(),
  add_to_new_projects: z.boolean().nullish(),
  can_create_projects: z.boolean().nullish(),
  can_merge_production: z.boolean().nullish(),
  can_merge_staging: z.boolean().nullish(),
});
type Changes = z.infer<typeof Changes>;

const counts = { _count: { select: { members: true, projects: true } } } as const;

export const updateTeam: RequestHandler = async (request, response) => {
  const { orgId, teamId } = Params.parse(request.params);
  const changes = Changes.parse(request.body);
  const caller = callerOf(response);
  await administered(caller, orgId);
  try {
    response.json(await prisma.$transaction((tx) => change(tx, caller, orgId, teamId, changes)));
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')
      throw new HttpError(
        409,
        'Another team in this workspace already has this name: choose a different one',
      );
    throw error;
  }
};

async function change(
  tx: Prisma.TransactionClient,
  caller: Caller,
  organizationId: string,
  teamId: string,
  changes: Changes,
) {
  const team = await tx.team.findFirst({ where: { id: teamId, organizationId }, include: counts });
  if (!team) throw new HttpError(404, 'No such team');
  const before = fields(team);
  const after = { ...before, ...defined(changes) };
  // A change that changes nothing writes nothing.
  if (JSON.stringify(before) === JSON.stringify(after)) return shown(team);
  const changed = await tx.team.update({
    where: { id: teamId },
    data: {
      name: after.name,
      addToNewProjects: after.add_to_new_projects,
      canCreateProjects: after.can_create_projects,
      canMergeProduction: after.can_merge_production,
      canMergeStaging: after.can_merge_staging,
    },
    include: counts,
  });
  await tx.auditEvent.create({
    data: {
      actorUserId: caller.userId,
      keyId: caller.keyId,
      action: 'team.update',
      outcome: 'done',
      targetId: teamId,
      organizationId,
      before,
      after,
      requestId: randomUUID(),
    },
  });
  return shown(changed);
}

const fields = (team: Team) => ({
  name: team.name,
  add_to_new_projects: team.addToNewProjects,
  can_create_projects: team.canCreateProjects,
  can_merge_production: team.canMergeProduction,
  can_merge_staging: team.canMergeStaging,
});

const defined = (changes: Changes): Partial<ReturnType<typeof fields>> =>
  Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== undefined && value !== null),
  );

const shown = (team: Team & { _count: { members: number; projects: number } }) => ({
  id: team.id,
  organization_id: team.organizationId,
  ...fields(team),
  created_at: team.createdAt,
  updated_at: team.updatedAt,
  member_count: team._count.members,
  project_count: team._count.projects,
});
