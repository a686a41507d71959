import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../ui/icons.tsx';

/** A line of the sidebar. */
export function SidebarEntry({
  icon,
  count = 0,
  more = false,
  children,
  ...to
}: {
  icon: IconName;
  /** How many things wait there. */
  count?: number | undefined;
  /** Whether there are more than these. */
  more?: boolean;
  children: ReactNode;
} & LinkProps): ReactNode {
  return (
    <Link
      activeOptions={{ exact: to.to === '/' }}
      className="flex items-center gap-2 rounded-box px-2 py-1 hover:bg-raised data-[status=active]:bg-tint data-[status=active]:font-medium"
      {...to}
    >
      <Icon name={icon} />
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {children}
      </span>
      {count > 0 && (
        <span className="rounded-full bg-waiting-tint px-1.5 text-xs text-waiting">
          {count}
          {more && '+'}
          <span className="sr-only"> waiting</span>
        </span>
      )}
    </Link>
  );
}
