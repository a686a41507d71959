import { useSyncExternalStore } from 'react';
import { readStored, writeStored } from '../../../data/storage.ts';
import { storedKeys } from '../../../data/stored-items.ts';
import type { Layout } from './rows.ts';

/** What this browser keeps of how a person reads code. */

const LAYOUT = 'guildhall-diff-layout';
const SPACE = 'guildhall-diff-space';
const VIEWED = 'guildhall-viewed ';
/** Tasks whose viewed files are kept, and files of one. */
const MOST_TASKS = 50;
const MOST_FILES = 3_000;

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

function set(key: string, value: string | undefined): void {
  writeStored(key, value);
  for (const each of listeners) each();
}

export function useLayout(): [Layout, (layout: Layout) => void] {
  const layout =
    useSyncExternalStore(subscribe, () => readStored(LAYOUT)) === 'split' ? 'split' : 'unified';
  return [layout, (wanted) => set(LAYOUT, wanted)];
}

/** Whether what differs in white space alone is left out. */
export function useIgnoredSpace(): [boolean, (ignored: boolean) => void] {
  const ignored = useSyncExternalStore(subscribe, () => readStored(SPACE)) === 'ignored';
  return [ignored, (wanted) => set(SPACE, wanted ? 'ignored' : undefined)];
}

/**
 * Which files of a task were viewed, by path, each with the content that it had: one that has changed
 * since was not.
 */
export function useViewed(taskId: string): {
  isViewed: (path: string, content: string) => boolean;
  note: (path: string, content: string, viewed: boolean) => void;
} {
  const key = `${VIEWED}${taskId}`;
  const kept = useSyncExternalStore(subscribe, () => readStored(key));
  const files = read(kept);
  return {
    isViewed: (path, content) => files[path] === short(content),
    note: (path, content, viewed) => {
      const { [path]: _, ...others } = read(readStored(key));
      const entries = Object.entries(others).slice(1 - MOST_FILES);
      const wanted = viewed ? [...entries, [path, short(content)] as const] : entries;
      if (readStored(key) === null) makeRoom();
      set(key, wanted.length === 0 ? undefined : JSON.stringify(Object.fromEntries(wanted)));
    },
  };
}

/** Of `index OLD..NEW MODE`, enough to tell contents apart. */
const short = (content: string): string =>
  content.replaceAll(/\b([0-9a-f]{12})[0-9a-f]{28,}\b/g, '$1');

function read(kept: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(kept ?? '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Any tasks but the newest go: what is lost is a tick. */
function makeRoom(): void {
  const keys = storedKeys(VIEWED);
  for (const key of keys.slice(0, 1 + keys.length - MOST_TASKS)) writeStored(key, undefined);
}
