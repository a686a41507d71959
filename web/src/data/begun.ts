/**
 * What the first page shows, asked for while its scripts are on their way. This module imports no
 * other one, and the page runs it first (`vite.config.ts`). A later request for the same takes the
 * answer, once, within ten seconds: what is older is read again.
 */

const MILLISECONDS = 10_000;

const begun = new Map<string, Promise<Response | undefined>>();
setTimeout(() => begun.clear(), MILLISECONDS);

// The page of a link changes the session before it asks for it.
if (!location.pathname.startsWith('/links/')) begin();

function begin(): void {
  const session = ask('/auth/session');
  begun.set('/auth/session', session);
  const isSignedIn = session.then(async (response) => {
    const { signed_in, pending } = (await response?.clone().json()) ?? {};
    return signed_in === true && pending !== true;
  });
  // Without a session, each of these would be an error in the console.
  const askSignedIn = async (path: string) =>
    (await isSignedIn.catch(() => false)) ? ask(path) : undefined;
  if (location.pathname.startsWith('/sign-in')) return;
  const [, project, task] = /^\/projects\/([^/]+)\/tasks\/([^/]+)$/.exec(location.pathname) ?? [];
  const ofTask = [
    `/api/tasks/${task}`,
    `/api/tasks/${task}/messages?limit=200`,
    `/api/projects/${project}`,
  ];
  const lists = ['/api/inbox', '/api/organizations', '/api/projects'];
  for (const path of task === undefined ? lists : [...lists, ...ofTask])
    begun.set(path, askSignedIn(path));
  if (task !== undefined) loadTaskPage();
}

/** The files that the document names for it. */
function loadTaskPage(): void {
  const files = document.querySelector<HTMLMetaElement>('meta[name="task-files"]')?.content;
  for (const file of files?.split(' ') ?? []) {
    const link = document.createElement('link');
    link.rel = 'modulepreload';
    link.href = `/${file}`;
    document.head.append(link);
  }
}

/** No answer is no error here: the later request is sent then. */
function ask(path: string): Promise<Response | undefined> {
  const signal = AbortSignal.timeout(MILLISECONDS);
  return fetch(path, { headers: { accept: 'application/json' }, signal }).catch(() => undefined);
}

/** The answer to this request, if it was asked for before it; nothing after a write. */
export function takeBegun({ method, url }: Request): Promise<Response | undefined> | undefined {
  if (method !== 'GET') begun.clear();
  const path = url.slice(location.origin.length);
  const response = begun.get(path);
  begun.delete(path);
  return response;
}
