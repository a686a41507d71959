import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { leave, stillSignedInQuery } from '../data/forget-drafts.ts';
import { useUser } from '../data/session.ts';
import { IconButton } from '../ui/button.tsx';
import { currentScheme, type Scheme, setScheme } from './scheme.ts';

const NEXT: Record<Scheme, Scheme> = { system: 'dark', dark: 'light', light: 'system' };

/** The person who is signed in, light and dark, and the way out. */
export function AccountMenu(): ReactNode {
  const user = useUser();
  const stillSignedIn = useQuery(stillSignedInQuery).data;
  const [scheme, show] = useState(currentScheme);
  const turn = () => {
    setScheme(NEXT[scheme]);
    show(NEXT[scheme]);
  };
  return (
    <div className="flex flex-wrap items-center gap-1 border-t border-line pt-2">
      {stillSignedIn && (
        <p role="alert" className="w-full px-2 text-wrong">
          You are still signed in: the sign-out has failed. Try again.
        </p>
      )}
      <Link
        to="/account"
        className="min-w-0 flex-1 truncate rounded-box px-2 py-1 hover:bg-raised"
        title={user.email}
      >
        <span dir="auto">{user.name ?? user.email}</span>
      </Link>
      <Link
        to="/help/{-$topic}"
        params={{ topic: undefined }}
        title="Help"
        aria-label="Help"
        className="inline-flex size-8 items-center justify-center rounded-box font-semibold text-muted hover:bg-raised hover:text-text"
      >
        <span aria-hidden="true">?</span>
      </Link>
      <IconButton
        icon={scheme === 'light' ? 'sun' : 'moon'}
        label={`Colours: ${scheme}. Change to ${NEXT[scheme]}`}
        onClick={turn}
      />
      <IconButton icon="leave" label="Sign out" onClick={leave} />
    </div>
  );
}
