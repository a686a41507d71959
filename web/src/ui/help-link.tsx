import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Leads to the part of the guide that a page is about, by its name in the address. */
export function HelpLink({
  topic,
  children,
}: {
  topic:
    | 'first-steps'
    | 'tasks-and-plans'
    | 'roles'
    | 'merge-targets'
    | 'caps-and-limits'
    | 'money'
    | 'finding-and-keys';
  /** What it explains: `How roles work`. */
  children: ReactNode;
}): ReactNode {
  return (
    <Link to="/help/{-$topic}" params={{ topic }} className="text-xs text-link underline">
      {children}
    </Link>
  );
}
