import type { ReactNode } from 'react';
import type { Scope } from '../data/billing.ts';

/** Links to a list of the person or of a workspace as a file, with the filters of the page. */
export function ExportLinks({
  org,
  list,
  filter,
}: {
  org: Scope;
  /** Its path, after that of the workspace. */
  list: 'billing/transactions' | 'usage' | 'audit-events';
  filter: object;
}): ReactNode {
  const path = org === undefined ? `/api/${list}` : `/api/organizations/${org}/${list}`;
  const address = (format: string) => {
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    return `${path}/export?${new URLSearchParams([['format', format], ...given])}`;
  };
  return (
    <div className="flex gap-3">
      {['csv', 'jsonl'].map((format) => (
        <a key={format} href={address(format)} download className="text-link underline">
          Export {format.toUpperCase()}
        </a>
      ))}
    </div>
  );
}
