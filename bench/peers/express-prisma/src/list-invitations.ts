import type { RequestHandler } from 'express';
import { z } from 'zod';
import { administered, callerOf } from './auth.js';
import { prisma } from './prisma.js';

const Params = z.object({ orgId: z.guid() });

/**
 * Unanswered invitations, newest first. The link that Guildhall derives from its secret is left
 * out.
 */
export const listInvitations: RequestHandler = async (request, response) => {
  const { orgId } = Params.parse(request.params);
  const organization = await administered(callerOf(response), orgId);
  const invitations = await prisma.invitation.findMany({
    where: { organizationId: orgId, status: 'pending' },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    include: { role: { select: { slug: true } } },
  });
  const now = new Date();
  response.json(
    invitations.map((invitation) => ({
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
    })),
  );
};
