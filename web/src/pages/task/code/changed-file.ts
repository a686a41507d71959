import type { components } from '@guildhall/client';

export type Diff = components['schemas']['TaskDiff'];
export type ChangedFile = Diff['files'][number];

/** A size in words, such as `12.3 KB`. */
export function bytes(size: number): string {
  if (size < 1_000) return `${size} bytes`;
  if (size < 1_000_000) return `${(size / 1_000).toFixed(1)} KB`;
  return `${(size / 1_000_000).toFixed(1)} MB`;
}
