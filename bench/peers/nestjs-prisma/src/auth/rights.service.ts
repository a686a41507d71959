import { ForbiddenException, Injectable, NotFoundException } from '@nestjs/common';
import { PrismaService } from '../prisma.service';
import type { Caller } from './caller';

@Injectable()
export class RightsService {
  constructor(private readonly prisma: PrismaService) {}

  /**
   * The workspace, for its owner and its admins; 404 when there is none, 403 for everybody else.
   */
  async administered(caller: Caller, organizationId: string) {
    const organization = await this.prisma.organization.findUnique({
      where: { id: organizationId },
      include: {
        members: {
          where: { userId: caller.userId },
          select: { role: { select: { actsAs: true } } },
        },
      },
    });
    if (!organization) throw new NotFoundException();
    const [member] = organization.members;
    if (!member || (organization.require2fa && !caller.twoFactor)) throw new ForbiddenException();
    if (organization.ownerUserId !== caller.userId && member.role.actsAs !== 'admin')
      throw new ForbiddenException();
    return organization;
  }
}
