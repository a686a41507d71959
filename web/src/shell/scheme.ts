import { readStored, writeStored } from '../data/storage.ts';

/** Light, dark, or as the system has it; kept for this browser. */
export type Scheme = 'light' | 'dark' | 'system';

const KEPT = 'guildhall-scheme';

export function currentScheme(): Scheme {
  const kept = readStored(KEPT);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function setScheme(scheme: Scheme): void {
  writeStored(KEPT, scheme);
  show(scheme);
}

export const restoreScheme = (): void => show(currentScheme());

// The tokens name light and dark: with any other value, the system decides.
function show(scheme: Scheme): void {
  document.documentElement.dataset.scheme = scheme;
}
