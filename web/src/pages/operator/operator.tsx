import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useUser } from '../../data/session.ts';
import { Page } from '../../ui/page.tsx';
import { Activity } from './activity.tsx';
import { People } from './people.tsx';
import { ServerSection } from './server.tsx';
import { Settings } from './settings.tsx';
import { Undelivered } from './undelivered.tsx';
import { Work } from './work.tsx';
import { Workspaces } from './workspaces.tsx';

/** Each reads what it shows when it is opened; the code of all of them is one small file. */
const SECTIONS = [
  { slug: undefined, name: 'Server', Shown: ServerSection },
  { slug: 'people', name: 'People', Shown: People },
  { slug: 'workspaces', name: 'Workspaces', Shown: Workspaces },
  { slug: 'work', name: 'Work', Shown: Work },
  { slug: 'undelivered', name: 'Undelivered', Shown: Undelivered },
  { slug: 'settings', name: 'Settings', Shown: Settings },
  { slug: 'activity', name: 'Activity', Shown: Activity },
];

/** What operators of the server see and do. */
export function Operator(): ReactNode {
  const { section }: { section?: unknown } = useSearch({ strict: false });
  const { operator } = useUser();
  const shown = SECTIONS.find(({ slug }) => slug === section) ?? SECTIONS[0];
  if (!operator || shown === undefined)
    return (
      <Page title="Operator">
        <p className="max-w-prose text-muted">
          This page is for people who operate this server. Its command line makes somebody one:{' '}
          <code>guildhall users operator</code> and their address.
        </p>
      </Page>
    );
  return (
    <Page title="Operator">
      <nav
        aria-label="Operator"
        className="relative flex gap-1 overflow-x-auto border-b border-line"
      >
        {SECTIONS.map(({ slug, name }) => (
          <Link
            key={name}
            to="/operator"
            search={{ section: slug } as never}
            aria-current={slug === shown.slug ? 'page' : undefined}
            className={`border-b-2 px-2 py-2 whitespace-nowrap hover:text-text ${slug === shown.slug ? 'border-accent font-medium' : 'border-transparent text-muted'}`}
          >
            {name}
          </Link>
        ))}
      </nav>
      <shown.Shown key={shown.name} />
    </Page>
  );
}
