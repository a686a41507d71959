import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { RightsService } from '../auth/rights.service';
import { PrismaService } from '../prisma.service';

@Injectable()
export class InvitationsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly rights: RightsService,
  ) {}

  /**
   * Unanswered invitations, newest first. The link that Guildhall derives from its secret is left
   * out.
   */
  async list(caller: Caller, organizationId: string) {
    const organization = await this.rights.administered(caller, organizationId);
    const invitations = await this.prisma.invitation.findMany({
      where: { organizationId, status: 'pending' },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      include: { role: { select: { slug: true } } },
    });
    const now = new Date();
    return invitations.map((invitation) => ({
      id: invitation.id,
      organization_id: invitation.organizationId,
      email: invitation.email,
      role: invitation.role.slug,
      status: invitation.expiresAt > now ? 'pending' : 'expired',
      created_at: invitation.createdAt,
      expires_at: invitation.expiresAt,
      invited_by_name: invitation.invitedByName,
      organization_name: organization.name,
      organization_color: organization.color ?? undefined,
      organization_icon: organization.icon ?? undefined,
      require_2fa_before_join: organization.require2fa,
    }));
  }
}
