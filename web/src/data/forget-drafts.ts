import { GuildhallError } from '@guildhall/client';
import { queryOptions } from '@tanstack/react-query';
import { queries } from './queries.ts';
import { signOut } from './session.ts';
import { writeStored } from './storage.ts';
import { storedKeys } from './stored-items.ts';

/** What the names of all drafts in the storage of a browser begin with. */
export const DRAFT = 'guildhall-draft ';

/** Whose session this browser has: another tab notices when it changes. */
export const SIGNED_IN = 'guildhall-signed-in';

/** Nothing that was typed is left for whoever uses this browser next, in any of its tabs. */
export function forgetDrafts(): void {
  writeStored(SIGNED_IN, undefined);
  for (const key of storedKeys(DRAFT)) writeStored(key, undefined);
}

/** Whether the last sign-out failed. */
export const stillSignedInQuery = queryOptions({
  queryKey: ['still-signed-in'],
  queryFn: (): boolean => false,
  initialData: false,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Signs out. A new page follows: nothing of the session is left in the memory of this one. */
export async function leave(): Promise<void> {
  const note = (failed: boolean) => queries.setQueryData(stillSignedInQuery.queryKey, failed);
  note(false);
  try {
    await signOut();
  } catch (error) {
    const hasEnded = error instanceof GuildhallError && error.status === 401;
    note(!hasEnded);
    if (!hasEnded) return;
  }
  forgetDrafts();
  location.assign('/sign-in');
}
