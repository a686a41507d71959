import { type Answer, Failure } from './failure.ts';

/** What a key stands for: the request it came with, and its answer once there is one. */
export interface Kept {
  request: string;
  answer?: Answer;
}

/**
 * Stripe's rule: the first answer under a key is the answer for good, errors included, once
 * execution has begun. The same key with another request is refused, and while the first is being
 * executed the second is turned away.
 */
export async function once(
  answers: Map<string, Kept>,
  key: string | undefined,
  request: string,
  work: () => Promise<{ answer: Answer; saved: boolean }>,
): Promise<Answer> {
  if (key === undefined) return (await work()).answer;
  const kept = answers.get(key);
  if (kept !== undefined) return replay(kept, request);
  const mine: Kept = { request };
  answers.set(key, mine);
  const { answer, saved } = await work();
  if (saved) mine.answer = answer;
  else answers.delete(key);
  return answer;
}

function replay({ request, answer }: Kept, again: string): Answer {
  if (request !== again) {
    const message =
      'Keys for idempotent requests can only be used with the same parameters and endpoint.';
    throw new Failure(400, { type: 'idempotency_error', message }, false);
  }
  if (answer === undefined) {
    const message = 'There is currently another in-progress request using this Idempotent Key.';
    throw new Failure(
      409,
      { type: 'idempotency_error', code: 'idempotency_key_in_use', message },
      false,
    );
  }
  return { ...answer, headers: { ...answer.headers, 'idempotent-replayed': 'true' } };
}
