import { PodError } from '../pod.ts';

const CODES = ['absent', 'unavailable', 'outside', 'too_large', 'failed'] as const;

/** What a thread has thrown, which has kept its code and lost its class. */
export function errorOf(error: unknown): unknown {
  const { code, message } = Object(error);
  if (error instanceof PodError || !CODES.includes(code)) return error;
  return new PodError(code, message, { cause: error });
}
