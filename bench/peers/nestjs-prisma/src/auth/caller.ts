import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** Who a request's key belongs to. */
export interface Caller {
  userId: string;
  keyId: string;
  twoFactor: boolean;
}

export type AuthenticatedRequest = Request & { caller: Caller };

/** The caller that the guard found. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().caller,
);
