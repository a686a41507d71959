import type { ReactNode } from 'react';
import type { Scope } from '../data/billing.ts';

/** Links to a list of the person, a workspace or a project as a file, with the filters of the page. */
export function ExportLinks({
  org,
  project,
  list,
  filter,
}: {
  org: Scope;
  /** For usage. */
  project?: string | undefined;
  /** Its path, after that of the workspace. */
  list: 'billing/transactions' | 'usage' | 'audit-events';
  filter: object;
}): ReactNode {
  const of = project === undefined ? org && `organizations/${org}/` : `projects/${project}/`;
  const path = `/api/${of ?? ''}${list}`;
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
