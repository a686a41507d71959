import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './data/queries.ts';
import { router } from './router.tsx';
import { restoreScheme } from './shell/scheme.ts';
import './tokens.css';

restoreScheme();

// After an update of the server, a page that was opened before asks for files that are gone.
addEventListener('vite:preloadError', async () => {
  const last = Number(sessionStorage.getItem('reloaded-at'));
  if (Date.now() - last < 10_000) return;
  // Without a network, a reload would lose the page for nothing.
  const answer = await fetch('/', { method: 'HEAD' }).catch(() => undefined);
  if (!answer?.ok) return;
  sessionStorage.setItem('reloaded-at', String(Date.now()));
  location.reload();
});

// The files of the first page are loaded while the session is asked for.
for (const { routeId } of router.matchRoutes(router.latestLocation))
  void router.loadRouteChunk(router.routesById[routeId as keyof typeof router.routesById]);

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
