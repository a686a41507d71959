import { unlessRefused } from './storage.ts';

/** Of another tab, another release, or another program on the same address: it may be anything. */
export const readStoredJson = (key: string): unknown =>
  unlessRefused(() => JSON.parse(localStorage.getItem(key) ?? 'null'));

/** The keys that begin so, in no certain order. */
export const storedKeys = (prefix: string): string[] =>
  unlessRefused(() => Object.keys(localStorage).filter((key) => key.startsWith(prefix))) ?? [];
