import { createClient } from '@guildhall/client';
import type { paths as AuthPaths } from './auth-schema.d.ts';
import { fetchWithProof } from './proof.ts';
import { noteEndOfSession } from './queries.ts';
import { asTheSame } from './unanswered.ts';

let held: Promise<unknown> | undefined;

/** Every later request waits for this promise first. */
export function holdRequests(until: Promise<unknown>): void {
  held = until;
}

const options = {
  baseUrl: location.origin,
  fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
    await held;
    return noteEndOfSession(await asTheSame(new Request(input, init), fetchWithProof));
  },
  // After this time a page shows an error and a way to try again.
  timeout: 10_000,
};

/** The public API, as every program calls it; the cookie of the session is the credential. */
export const guildhall = createClient(options);

/** What only browsers may do: signing in, factors, keys. */
export const auth = createClient<AuthPaths>({ ...options, idempotencyKeys: false });
