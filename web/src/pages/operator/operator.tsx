import { Link, useParams } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { useUser } from '../../data/session.ts';
import { Loading } from '../../shell/loading.tsx';
import { Page } from '../../ui/page.tsx';

/** Each is loaded when it is opened. */
const SECTIONS = [
  { slug: undefined, name: 'Server', Shown: lazy(() => import('./server.tsx')) },
  { slug: 'people', name: 'People', Shown: lazy(() => import('./people.tsx')) },
  { slug: 'workspaces', name: 'Workspaces', Shown: lazy(() => import('./workspaces.tsx')) },
  { slug: 'work', name: 'Work', Shown: lazy(() => import('./work.tsx')) },
  { slug: 'undelivered', name: 'Undelivered', Shown: lazy(() => import('./undelivered.tsx')) },
  { slug: 'settings', name: 'Settings', Shown: lazy(() => import('./settings.tsx')) },
  { slug: 'activity', name: 'Activity', Shown: lazy(() => import('./activity.tsx')) },
];

/** What operators of the server see and do. */
export function OperatorPage(): ReactNode {
  const { section } = useParams({ strict: false });
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
            to="/operator/{-$section}"
            params={{ section: slug }}
            search={{}}
            aria-current={slug === shown.slug ? 'page' : undefined}
            className={`border-b-2 px-2 py-2 whitespace-nowrap hover:text-text ${slug === shown.slug ? 'border-accent font-medium' : 'border-transparent text-muted'}`}
          >
            {name}
          </Link>
        ))}
      </nav>
      <Suspense key={shown.name} fallback={<Loading />}>
        <shown.Shown />
      </Suspense>
    </Page>
  );
}
