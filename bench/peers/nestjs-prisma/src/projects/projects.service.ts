import { ForbiddenException, Injectable, NotFoundException } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { PrismaService } from '../prisma.service';
import { BuiltInRoles } from './built-in-roles';
import { byRankAndName, peopleOf, shown, withPeople } from './people';

@Injectable()
export class ProjectsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly builtIn: BuiltInRoles,
  ) {}

  async people(caller: Caller, projectId: string) {
    const project = await this.prisma.project.findUnique({
      where: { id: projectId },
      select: withPeople(),
    });
    if (!project) throw new NotFoundException();
    const people = peopleOf(project, this.builtIn);
    const self = people.find(({ user }) => user.id === caller.userId);
    if (!self || self.hiddenReason) throw new ForbiddenException();
    const seesHidden = ['owner', 'admin'].includes(self.role.actsAs);
    return people
      .filter(({ hiddenReason }) => seesHidden || hiddenReason === undefined)
      .sort(byRankAndName)
      .map(shown);
  }
}
