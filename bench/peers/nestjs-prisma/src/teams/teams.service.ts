import { randomUUID } from 'node:crypto';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { RightsService } from '../auth/rights.service';
import { Prisma, type Team } from '../generated/client';
import { PrismaService } from '../prisma.service';
import type { UpdateTeamDto } from './update-team.dto';

const counts = { _count: { select: { members: true, projects: true } } } as const;

@Injectable()
export class TeamsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly rights: RightsService,
  ) {}

  async update(caller: Caller, organizationId: string, teamId: string, changes: UpdateTeamDto) {
    await this.rights.administered(caller, organizationId);
    try {
      return await this.prisma.$transaction((tx) =>
        change(tx, caller, organizationId, teamId, changes),
      );
    } catch (error) {
      if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002')
        throw new ConflictException(
          'Another team in this workspace already has this name: choose a different one',
        );
      throw error;
    }
  }
}

async function change(
  tx: Prisma.TransactionClient,
  caller: Caller,
  organizationId: string,
  teamId: string,
  changes: UpdateTeamDto,
) {
  const team = await tx.team.findFirst({ where: { id: teamId, organizationId }, include: counts });
  if (!team) throw new NotFoundException();
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

const defined = (changes: UpdateTeamDto): Partial<ReturnType<typeof fields>> =>
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
