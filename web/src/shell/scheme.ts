/** Light, dark, or as the system has it; kept for this browser. */
export type Scheme = 'light' | 'dark' | 'system';

const KEPT = 'guildhall-scheme';

export function currentScheme(): Scheme {
  const kept = localStorage.getItem(KEPT);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function setScheme(scheme: Scheme): void {
  if (scheme === 'system') localStorage.removeItem(KEPT);
  else localStorage.setItem(KEPT, scheme);
  restoreScheme();
}

export function restoreScheme(): void {
  const scheme = currentScheme();
  if (scheme === 'system') delete document.documentElement.dataset.scheme;
  else document.documentElement.dataset.scheme = scheme;
}
