import type { ReactNode } from 'react';
import { useTitle } from './title.ts';

/** A page: its title, also in the tab, its acts, and its content. */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  /** What stands above the title: where this page is. */
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}): ReactNode {
  useTitle(title);
  return (
    <div className="mx-auto flex w-full max-w-5xl flex-col gap-section p-gutter sm:p-gutter-wide">
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          {lead && <div className="text-xs text-muted">{lead}</div>}
          <h1 dir="auto" className="text-xl font-semibold tracking-tight">
            {title}
          </h1>
        </div>
        {actions && (
          <div data-acts className="flex flex-wrap items-center gap-2">
            {actions}
          </div>
        )}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with a heading. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}): ReactNode {
  return (
    <section className="flex flex-col gap-stack">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** What a list shows when it is empty: the next step, and the command that does the same. */
export function Empty({
  children,
  command,
  action,
}: {
  children: ReactNode;
  command?: ReactNode;
  action?: ReactNode;
}): ReactNode {
  return (
    <div className="flex flex-col items-start gap-3 rounded-box border border-dashed border-line p-5">
      <p className="max-w-prose text-muted">{children}</p>
      {command}
      {action}
    </div>
  );
}
