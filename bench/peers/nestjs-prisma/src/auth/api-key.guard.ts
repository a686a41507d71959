import { hash } from 'node:crypto';
import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UnauthorizedException,
} from '@nestjs/common';
import { PrismaService } from '../prisma.service';
import type { AuthenticatedRequest } from './caller';

/** Lets a request in when its bearer key opens something now, and says whose key it is. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(private readonly prisma: PrismaService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const [type, token] = request.headers.authorization?.split(' ') ?? [];
    if (type !== 'Bearer' || !token) throw new UnauthorizedException();
    const key = await this.prisma.apiKey.findUnique({
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
    if (!key || key.revokedAt || expired || !key.user.isActive) throw new UnauthorizedException();
    request.caller = { userId: key.userId, keyId: key.id, twoFactor: key.user.twoFactor };
    return true;
  }
}
