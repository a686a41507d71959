/** What the names of all drafts in the storage of a browser begin with. */
export const DRAFT = 'guildhall-draft ';

/** Whose session this browser has: another tab notices when it changes. */
export const SIGNED_IN = 'guildhall-signed-in';

/** Nothing that was typed is left for whoever uses this browser next, in any of its tabs. */
export function forgetDrafts(): void {
  try {
    localStorage.removeItem(SIGNED_IN);
    for (const key of Object.keys(localStorage))
      if (key.startsWith(DRAFT)) localStorage.removeItem(key);
  } catch {
    // A browser without storage has kept nothing.
  }
}
