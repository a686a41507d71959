import { HIDDEN, hiding } from '../../telemetry/hide-secrets.ts';

/** Why a call is not passed on, or its answer not passed back; every protocol has its form of it. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const ENDED = 'The agent may not use this connection any more.';
export const NOT_RUNNING =
  'This throwaway Odoo does not run now: it was stopped, is started again, or has ended by itself, ' +
  'as its task shows to people. Another one is for the next turn.';

/** Text of a server without its tracebacks and without the secret. */
export function withoutTraceback(text: string, secret: string): string {
  const whole = text.includes('Traceback (most recent call last)') ? lastLine(text) : text;
  const shown = hiding([secret])(whole.slice(0, LOOKED_AT));
  if (whole.length <= LOOKED_AT) return shown.slice(0, MOST);
  // Near the cut may be a part of the secret; what was replaced before it has brought it forward.
  return shown.slice(0, Math.min(MOST, Math.max(0, shown.length - LOOKED_AT / 2))) || HIDDEN;
}

/** Servers may send millions of empty lines. */
function lastLine(text: string): string {
  const lines = text.trimEnd();
  return lines.slice(lines.lastIndexOf('\n') + 1);
}

const LOOKED_AT = 64 * 1024;
const MOST = 4_000;
