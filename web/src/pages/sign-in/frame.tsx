import type { ReactNode } from 'react';
import { useTitle } from '../../ui/title.ts';

/** A page before the sign-in: one narrow column. */
export function Frame({ title, children }: { title: string; children: ReactNode }): ReactNode {
  useTitle(title);
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-5 p-4 sm:p-6">
      <header className="flex flex-col gap-1">
        <p className="text-xs font-medium text-muted">Guildhall</p>
        <h1 className="text-lg font-semibold">{title}</h1>
      </header>
      {children}
    </main>
  );
}
