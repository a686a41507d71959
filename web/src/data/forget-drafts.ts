/** What the names of all drafts in the storage of a browser begin with. */
export const DRAFT = 'guildhall-draft ';

/** Nothing that was typed is left for whoever uses this browser next. */
export function forgetDrafts(): void {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith(DRAFT)) localStorage.removeItem(key);
  } catch {
    // A browser without storage has kept nothing.
  }
}
