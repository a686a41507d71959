import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { inboxQuery } from '../data/lists.ts';
import { Icon } from '../ui/icons.tsx';
import { Wordmark } from '../ui/mark.tsx';
import { useTitle } from '../ui/title.ts';
import { AccountMenu } from './account-menu.tsx';
import { SidebarEntry } from './sidebar-entry.tsx';
import { SidebarPlaces } from './sidebar-places.tsx';

/** Where a person can go: what waits for them, their workspaces with projects, their account. */
export function Sidebar({ onSearch }: { onSearch: () => void }): ReactNode {
  const inbox = useInfiniteQuery(inboxQuery);
  const count = inbox.data?.pages.reduce((sum, { items }) => sum + items.length, 0);
  useTitle(count ? `${count}${inbox.hasNextPage ? '+' : ''}` : '', 0);
  return (
    <nav aria-label="Main" className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-3">
        <div className="flex flex-col gap-0.5">
          <span className="hidden px-2 pt-1 pb-3 text-base md:block">
            <Wordmark />
          </span>
          <button
            type="button"
            onClick={onSearch}
            className="mb-2 flex items-center gap-2 rounded-box border border-line px-2 py-1.5 text-left text-muted hover:bg-raised"
          >
            <Icon name="search" />
            <span className="flex-1">Go to…</span>
            <kbd className="font-mono text-xs">Ctrl K</kbd>
          </button>
          <SidebarEntry to="/" icon="home" count={count} more={inbox.hasNextPage}>
            Home
          </SidebarEntry>
          <SidebarEntry to="/tasks" icon="board">
            Tasks
          </SidebarEntry>
        </div>
        <SidebarPlaces />
        <SidebarEntry to="/" search={{ create: 'workspace' }} icon="plus">
          New workspace
        </SidebarEntry>
      </div>
      <div className="px-3 pb-3">
        <AccountMenu />
      </div>
    </nav>
  );
}
