import { openThread } from '../../platform/threads/thread.ts';
import type { Answered, Value } from './xml-rpc.ts';

/** What an answer of a server can be read as. */
export interface Forms {
  xmlRpc: Answered;
  json: Value;
}

export interface Reading {
  form: keyof Forms;
  body: Uint8Array;
}

/** Of a hostile server, 1 MiB can take seconds to read: that keeps only this thread waiting. */
const thread = openThread<Reading, Forms[keyof Forms] | undefined>(
  new URL('./read-answer-thread.ts', import.meta.url),
  { name: 'erp-answers', timeout: 2_000, memoryMb: 256 },
);

/**
 * Undefined if what came is not of this form, or exceeds what is read. Rejects with the reason of
 * `signal`. `parties`: for whom it is; they take turns.
 */
export async function readAnswer<Form extends keyof Forms>(
  form: Form,
  body: Buffer,
  { parties, signal }: { parties: readonly string[]; signal: AbortSignal },
): Promise<Forms[Form] | undefined> {
  try {
    return (await thread.run({ form, body }, { parties, signal })) as Forms[Form] | undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
