import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Links between the pages of one thing. */
export function Tabs({
  label,
  tabs,
  params,
}: {
  label: string;
  tabs: readonly { to: string; name: string }[];
  params: Record<string, string>;
}): ReactNode {
  return (
    <nav aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ to, name }, index) => (
        <Link
          key={to}
          to={to}
          params={params as never}
          activeOptions={{ exact: index === 0 }}
          className="border-b-2 border-transparent px-2 py-2 whitespace-nowrap text-muted hover:text-text data-[status=active]:border-accent data-[status=active]:font-medium data-[status=active]:text-text"
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
