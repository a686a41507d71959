/**
 * What the first page shows, asked for while its scripts are on their way. This module imports no
 * other one, and the page runs it first (`vite.config.ts`). A later request for the same takes the
 * answer, once, within ten seconds and before any write: otherwise it is sent.
 */

const MILLISECONDS = 10_000;

const session = ask('/auth/session');
const begun = new Map([['/auth/session', session]]);
setTimeout(() => begun.clear(), MILLISECONDS);

const isSignedIn = session
  .then((response) => response?.clone().json())
  .then(({ signed_in, pending }) => signed_in && !pending)
  .catch(() => false);

const [, task] = /\/tasks\/([^/]+)$/.exec(location.pathname) ?? [];
const paths = ['/api/inbox?limit=50', '/api/organizations', '/api/projects'];
if (task) paths.push(`/api/tasks/${task}`);
// Without a session, each would be an error in the console.
for (const path of paths)
  begun.set(
    path,
    isSignedIn.then((yes) => (yes ? ask(path) : undefined)),
  );
// The document names the files of this page, too, but not for others to load.
if (task) document.head.append(document.querySelector('template')?.content ?? '');

/** No answer is no error here. */
function ask(path: string): Promise<Response | undefined> {
  return fetch(path, { signal: AbortSignal.timeout(MILLISECONDS) }).catch(() => undefined);
}

/** The answer to this request, if it was asked for before. */
export function takeBegun({ method, url }: Request): Promise<Response | undefined> | undefined {
  if (method !== 'GET') begun.clear();
  const path = url.slice(location.origin.length);
  const response = begun.get(path);
  begun.delete(path);
  return response;
}
