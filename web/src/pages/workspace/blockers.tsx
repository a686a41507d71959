import { GuildhallError } from '@guildhall/client';
import type { ReactNode } from 'react';

export interface Blocker {
  code: string;
  message: string;
}

/** What stands in the way of an act, if that is why it was refused. */
export function blockersOf(error: unknown): Blocker[] {
  const blockers = error instanceof GuildhallError ? error.body.blockers : undefined;
  return Array.isArray(blockers) ? (blockers as Blocker[]) : [];
}

/** What stands in the way, one sentence each. */
export function Blockers({ blockers }: { blockers: readonly Blocker[] }): ReactNode {
  if (blockers.length === 0) return null;
  return (
    <ul className="flex list-disc flex-col gap-1 pl-5">
      {blockers.map(({ code, message }) => (
        <li key={code}>{message}</li>
      ))}
    </ul>
  );
}
