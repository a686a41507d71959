import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { options } from 'preact';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './data/queries.ts';
import { router } from './router.tsx';
import { restoreScheme } from './shell/scheme.ts';
import './tokens.css';

restoreScheme();

// Effects run in the next task, as with React. Preact waits for a frame, which a hidden tab has none of,
// and under load that leaves a tenth of a second in which the page does not yet do what it shows.
const { port1, port2 } = new MessageChannel();
options.requestAnimationFrame = (flush) => {
  port1.onmessage = flush;
  port2.postMessage(undefined);
};

addEventListener('vite:preloadError', async () => {
  // It has just been loaded, and again would help no more.
  if (performance.now() < 10_000) return;
  // After an update of the server, a page that was opened before asks for files that are gone, as is
  // its own. Otherwise a reload would lose what was typed for nothing.
  const own = await fetch(import.meta.url, { method: 'HEAD', cache: 'no-store' }).catch(() => {});
  if (own?.status === 404) location.reload();
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
