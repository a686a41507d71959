import { readStored, writeStored } from '../data/storage.ts';

/** Light, dark, or as the system has it; kept for this browser. */
export type Scheme = 'light' | 'dark' | 'system';

const KEPT = 'guildhall-scheme';

export function currentScheme(): Scheme {
  const kept = readStored(KEPT);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function setScheme(scheme: Scheme): void {
  writeStored(KEPT, scheme === 'system' ? undefined : scheme);
  show(scheme);
}

export const restoreScheme = (): void => show(currentScheme());

function show(scheme: Scheme): void {
  if (scheme === 'system') delete document.documentElement.dataset.scheme;
  else document.documentElement.dataset.scheme = scheme;
}
