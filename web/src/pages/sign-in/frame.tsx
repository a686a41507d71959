import type { ReactNode } from 'react';
import { Wordmark } from '../../ui/mark.tsx';
import { useTitle } from '../../ui/title.ts';

/** A page before the sign-in: one narrow column, with what this is in one sentence. */
export function Frame({ title, children }: { title: string; children: ReactNode }): ReactNode {
  useTitle(title);
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-5 p-4 sm:p-6">
      <header className="flex flex-col gap-4">
        <div className="flex flex-col gap-2 border-b border-line pb-4">
          <span className="text-lg">
            <Wordmark size={28} />
          </span>
          <p className="text-muted">
            A workshop for coding agents: they plan, people approve, and each change arrives as a
            pull request with its cost.
          </p>
        </div>
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
      </header>
      {children}
    </main>
  );
}
