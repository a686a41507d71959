import { mailboxOf } from '../../server/db/addresses.ts';
import { clean } from './clean.ts';

/** Reading parts of a world file that may have any form. */

/** An object of a list in the file, and where it is. */
export type Item = { [field: string]: unknown; pointer: string };

export type Report = (pointer: string, message: string) => void;

/** The objects in a list of `owner`; empty where there is no such list. */
export function itemsOf(owner: unknown, pointer: string, list: string): Item[] {
  const items = isObject(owner) ? owner[list] : undefined;
  if (!Array.isArray(items)) return [];
  return items.flatMap((item, index) =>
    isObject(item) ? [{ ...item, pointer: `${pointer}/${list}/${index}` }] : [],
  );
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
export const asMailbox = (value: string): string => mailboxOf(clean(value));
export const quote = (value: unknown): string => JSON.stringify(value);

/** Reports every item whose field repeats that of an earlier item. `at`: the field to point to. */
export function unique(
  report: Report,
  items: Item[],
  field: string,
  what: string,
  same = (value: string) => value,
  at = field,
): void {
  const seen = new Map<string, string>();
  for (const item of items) {
    const value = text(item[field]);
    if (value === undefined) continue;
    const first = seen.get(same(value));
    if (first === undefined) seen.set(same(value), item.pointer);
    else report(`${item.pointer}/${at}`, `repeats the ${at} of ${what} above (${first})`);
  }
}

/** The handles of a team's list with their pointers; reports duplicates. */
export function handlesOf(report: Report, item: Item, list: string): [string, string][] {
  const handles = new Map<string, string>();
  const all = Array.isArray(item[list]) ? (item[list] as unknown[]) : [];
  all.forEach((value, index) => {
    const pointer = `${item.pointer}/${list}/${index}`;
    if (typeof value !== 'string') return;
    if (handles.has(value)) report(pointer, `${quote(value)} is already in this list`);
    else handles.set(value, pointer);
  });
  return [...handles].map(([handle, pointer]) => [pointer, handle]);
}
