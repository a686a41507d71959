/**
 * The caller of a request: a user, through a key or a session. Only the request pipeline creates
 * it.
 */
export interface Caller {
  readonly userId: string;
  readonly keyId: string | null;
  readonly sessionId: string | null;
}
