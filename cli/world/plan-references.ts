import { type Item, itemsOf, type Report } from './items.ts';

/**
 * Checks what the parts of a plan say about its versions and about users. `isUser` reports a handle
 * that no user has.
 */
export function checkPlan(
  plan: Record<string, unknown>,
  pointer: string,
  report: Report,
  isUser: (item: Item, field: string) => boolean,
): void {
  const { revisions, approved_version: approved } = plan;
  const exists = (version: unknown, where: string) => {
    if (Array.isArray(revisions) && typeof version === 'number' && version > revisions.length)
      report(where, `must be at most ${revisions.length}, the number of revisions`);
  };
  const once = (items: Item[], done: string) => {
    const seen = new Set<unknown>();
    for (const { pointer: at, version } of items) {
      if (seen.has(version)) report(`${at}/version`, `is ${done} above already`);
      seen.add(version);
    }
  };
  exists(approved, `${pointer}/approved_version`);
  const lists = ['approvals', 'authors', 'comments'].map((name) => itemsOf(plan, pointer, name));
  for (const item of lists.flat()) {
    isUser(item, 'by');
    exists(item.version, `${item.pointer}/version`);
  }
  const [approvals, authors, comments] = lists as [Item[], Item[], Item[]];
  once(approvals, 'approved');
  once(authors, 'written');
  for (const comment of comments) {
    const { pointer: at, start_line: start, end_line: end, resolved_by, resolved_at } = comment;
    isUser(comment, 'resolved_by');
    if (typeof start === 'number' && typeof end === 'number' && end < start)
      report(`${at}/end_line`, `must be at least ${start}, the first line`);
    if ((resolved_by === undefined) !== (resolved_at === undefined))
      report(at, 'needs both resolved_by and resolved_at, or neither');
  }
}
