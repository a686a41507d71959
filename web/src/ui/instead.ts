import { GuildhallError } from '@guildhall/client';

/**
 * The error that a part of a page shows instead of what it has read: of a first reading, any; of a
 * later one, a refusal. While the server is away, the part stays, with what a person has typed there.
 */
export const insteadOf = ({ error, data }: { error: Error | null; data: unknown }): Error | null =>
  data !== undefined && error instanceof GuildhallError && passes(error.status) ? null : error;

/** No answer, a limit, or a server that is starting, busy or broken. */
const passes = (status: number): boolean => status === 0 || status === 429 || status >= 500;
