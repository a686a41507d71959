import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { PageIcon, type PageIconName } from './page-icon.tsx';
import { useTitle } from './title.ts';

/** Links between the pages of one thing. */
export function Tabs({
  label,
  tabs,
  params,
}: {
  label: string;
  /** `active`: whether the page is under this tab; by default, whether it is at its address. */
  tabs: readonly { to: string; name: string; icon?: PageIconName; active?: boolean }[];
  params: Record<string, string>;
}): ReactNode {
  const nav = useShownActive();
  const isAt = useIsAt(params);
  const shown = tabs.findLast(({ to, active }, index) => active ?? isAt(to, index === 0));
  useTitle(shown?.name ?? '', 2);
  return (
    <nav
      ref={nav}
      aria-label={label}
      className="relative flex gap-1 overflow-x-auto border-b border-line"
    >
      {tabs.map(({ to, name, icon, active }, index) => (
        <Link
          key={to}
          to={to}
          params={params as never}
          activeOptions={{ exact: index === 0 }}
          data-active={active}
          aria-current={active ? 'true' : undefined}
          className="inline-flex items-center gap-1.5 border-b-2 border-transparent px-2 py-2 whitespace-nowrap text-muted hover:text-text data-[active=true]:border-accent data-[active=true]:font-medium data-[active=true]:text-text data-[status=active]:border-accent data-[status=active]:font-medium data-[status=active]:text-text"
        >
          {icon && (
            <span className="hidden sm:inline">
              <PageIcon name={icon} size={14} />
            </span>
          )}
          {name}
        </Link>
      ))}
    </nav>
  );
}

/** Links between the pages under one tab: a column beside them, on a narrow screen a line above. */
export function Sections({
  label,
  sections,
  params,
}: {
  label: string;
  sections: readonly { to: string; name: string }[];
  params: Record<string, string>;
}): ReactNode {
  const nav = useShownActive();
  const isAt = useIsAt(params);
  useTitle(sections.find(({ to }) => isAt(to))?.name ?? '', 1);
  return (
    <nav
      ref={nav}
      aria-label={label}
      className="relative flex shrink-0 gap-0.5 overflow-x-auto md:w-36 md:flex-col"
    >
      {sections.map(({ to, name }) => (
        <Link
          key={to}
          to={to}
          params={params as never}
          className="rounded-box px-2 py-1 whitespace-nowrap text-muted hover:bg-raised hover:text-text data-[status=active]:bg-tint data-[status=active]:font-medium data-[status=active]:text-text"
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

/** On a narrow screen, the link to this page may be further along the line than can be seen. */
function useShownActive(): RefObject<HTMLElement | null> {
  const nav = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the path changes
  useEffect(() => {
    const active = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current && active)
      nav.current.scrollLeft =
        active.offsetLeft - (nav.current.clientWidth - active.offsetWidth) / 2;
  }, [path]);
  return nav;
}

/** Whether the page is at an address, given as a route, or under it. */
function useIsAt(params: Record<string, string>): (to: string, exactly?: boolean) => boolean {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (to, exactly = false) => {
    const address = to.replaceAll(/\$(\w+)/g, (_, name) => params[name] ?? '');
    return path === address || (!exactly && path.startsWith(`${address}/`));
  };
}
