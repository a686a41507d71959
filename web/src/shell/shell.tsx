import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useCut } from '../data/connection.ts';
import { onProofNeeded, type Refuse } from '../data/proof.ts';
import { sessionQuery } from '../data/session.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { lazily } from '../ui/lazily.ts';
import { Wordmark } from '../ui/mark.tsx';
import { enterRows, isTyping } from '../ui/row-keys.ts';
import { Loading } from './loading.tsx';
import { useNewTaskKey } from './new-task-key.ts';
import { useSameSession } from './same-session.ts';
import { Sidebar } from './sidebar.tsx';

const Palette = lazily(async () => (await import('./palette.tsx')).default);
const Keys = lazily(async () => (await import('./palette.tsx')).Keys);
const ProofDialog = lazily(async () => (await import('./proof.tsx')).default);

/** The frame of every page behind the sign-in: the sidebar, the page, and what lies over both. */
export function Shell(): ReactNode {
  const [menu, setMenu] = useState(false);
  const [over, setOver] = useState<'palette' | 'keys'>();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useRef<HTMLElement>(null);

  // Another page: the drawer of narrow screens closes, and reading begins at the top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the path changes
  useLayoutEffect(() => {
    setMenu(false);
    main.current?.scrollTo(0, 0);
  }, [path]);

  const ended = useEndOfSession();
  const cut = useCut();
  useNewTaskKey();
  useSameSession();

  // Before the frame is drawn: who sees it may press a key.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key === 'k' && (event.metaKey || event.ctrlKey)) setOver('palette');
      else if (event.key === '?' && !isTyping(event) && !document.querySelector('dialog[open]'))
        setOver('keys');
      else return enterRows(event);
      event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);

  if (ended) return null;
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a
        href="#main"
        className="absolute -top-16 left-2 z-30 rounded-box bg-accent px-3 py-2 text-on-accent focus:top-2"
      >
        Skip to the page
      </a>
      <header className="flex items-center gap-2 border-b border-line bg-surface px-2 py-1 md:hidden">
        <IconButton icon="menu" label="Menu" aria-expanded={menu} onClick={() => setMenu(!menu)} />
        <Wordmark />
      </header>
      <div
        className={`${menu ? 'flex' : 'hidden'} max-h-[70dvh] shrink-0 flex-col border-line border-b bg-surface md:flex md:max-h-none md:w-60 md:border-r md:border-b-0`}
      >
        <Sidebar onSearch={() => setOver('palette')} />
      </div>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <main id="main" ref={main} tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto">
          <Suspense fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </main>
        {cut && (
          <p
            role="status"
            className="flex items-center gap-2 border-t border-line bg-waiting-tint px-4 py-2 text-waiting"
          >
            <Icon name="warning" />
            Live updates are cut: the server does not answer. This page goes on by itself when it
            does.
          </p>
        )}
      </div>
      {over !== undefined && (
        <Suspense>
          {over === 'palette' ? (
            <Palette onClose={() => setOver(undefined)} showKeys={() => setOver('keys')} />
          ) : (
            <Keys onClose={() => setOver(undefined)} />
          )}
        </Suspense>
      )}
      <Proof />
    </div>
  );
}

/** Asks for a proof when an act needs one, and appears by itself. */
function Proof(): ReactNode {
  const [answer, setAnswer] = useState<(refuse?: Refuse) => void>();
  // Before anything behind this frame can be refused.
  useLayoutEffect(
    () => onProofNeeded(() => new Promise((resolve) => setAnswer(() => resolve))),
    [],
  );
  if (answer === undefined) return null;
  const close = (refuse?: Refuse) => {
    setAnswer(undefined);
    answer(refuse);
  };
  return (
    <Suspense>
      <ProofDialog close={close} />
    </Suspense>
  );
}

/** Whether the session has ended elsewhere: then to the sign-in, and back here after it. */
function useEndOfSession(): boolean {
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const ended = session !== undefined && (!session.signed_in || session.pending === true);
  useEffect(() => {
    if (ended)
      void navigate({ to: '/sign-in', search: { return_to: location.pathname + location.search } });
  }, [ended, navigate]);
  return ended;
}
