import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTitle } from './title.ts';

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
  const nav = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const active = tabs.findLast(({ to }, index) => {
    const address = to.replaceAll(/\$(\w+)/g, (_, name) => params[name] ?? '');
    return path === address || (index > 0 && path.startsWith(`${address}/`));
  });
  useTitle(active?.name ?? '', 1);
  // On a narrow screen, the tab of this page may be further along the line than can be seen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the path changes
  useEffect(() => {
    const active = nav.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (nav.current && active)
      nav.current.scrollLeft =
        active.offsetLeft - (nav.current.clientWidth - active.offsetWidth) / 2;
  }, [path]);
  return (
    <nav
      ref={nav}
      aria-label={label}
      className="relative flex gap-1 overflow-x-auto border-b border-line"
    >
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
