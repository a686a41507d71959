import { withoutSecret } from '../../agents/gateway/repeated-secret.ts';

/** Why a call is not passed on, or its answer not passed back; every protocol has its form of it. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const ENDED = 'The agent may not use this connection any more.';

/** Text of a server without its tracebacks and without the secret. */
export function withoutTraceback(text: string, secret: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const said = text.includes('Traceback (most recent call last)') ? (lines.at(-1) ?? '') : text;
  return withoutSecret(said, secret).slice(0, MOST);
}

const MOST = 4_000;
