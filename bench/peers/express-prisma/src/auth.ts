import { hash } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import { HttpError } from './errors.js';
import { prisma } from './prisma.js';

/** Who a request's key belongs to. */
export interface Caller {
  userId: string;
  keyId: string;
  twoFactor: boolean;
}

/** Lets a request in when its bearer key opens something now, and says whose key it is. */
export const authenticate: RequestHandler = async (request, response, next) => {
  const [type, token] = request.headers.authorization?.split(' ') ?? [];
  if (type !== 'Bearer' || !token) throw new HttpError(401, 'Not authenticated');
  const key = await prisma.apiKey.findUnique({
    where: { secretHash: new Uint8Array(hash('sha256', token, 'buffer')) },
    select: {
      id: true,
      userId: true,
      expiresAt: true,
      revokedAt: true,
      user: { select: { isActive: true, twoFactor: true } },
    },
  });
  const expired = key?.expiresAt && key.expiresAt <= new Date();
  if (!key || key.revokedAt || expired || !key.user.isActive)
    throw new HttpError(401, 'Invalid API key');
  response.locals.caller = { userId: key.userId, keyId: key.id, twoFactor: key.user.twoFactor };
  next();
};

export const callerOf = (response: Response): Caller => response.locals.caller;

/** The workspace, for its owner and its admins; 404 when there is none, 403 for everybody else. */
export async function administered(caller: Caller, organizationId: string) {
  const organization = await prisma.organization.findUnique({
    where: { id: organizationId },
    include: {
      members: { where: { userId: caller.userId }, select: { role: { select: { actsAs: true } } } },
    },
  });
  if (!organization) throw new HttpError(404, 'No such workspace');
  const [member] = organization.members;
  if (!member || (organization.require2fa && !caller.twoFactor))
    throw new HttpError(403, 'Not allowed');
  if (organization.ownerUserId !== caller.userId && member.role.actsAs !== 'admin')
    throw new HttpError(403, 'Not allowed');
  return organization;
}
