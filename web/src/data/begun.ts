/**
 * What the first page shows, asked for while its scripts are on their way. This module imports no
 * other one: the document contains it, and runs it first (`vite.config.ts`). A later request for the
 * same takes the answer, once, within ten seconds and before any write: otherwise it is sent.
 */

declare global {
  /** By the path; there is none where the document was not built. */
  var begun: Map<string, Promise<Response | undefined>> | undefined;
}

const MILLISECONDS = 10_000;

const session = ask('/auth/session');
const answers = new Map([['/auth/session', session]]);
globalThis.begun = answers;
setTimeout(() => answers.clear(), MILLISECONDS);

const isSignedIn = session
  .then((response) => response?.clone().json())
  .then(({ signed_in, pending }) => signed_in && !pending)
  .catch(() => false);

const [, task] = /\/tasks\/([^/]+)$/.exec(location.pathname) ?? [];
const paths = ['/api/inbox?limit=50', '/api/organizations', '/api/projects'];
if (task) paths.push(`/api/tasks/${task}`);
// Without a session, each would be an error in the console.
for (const path of paths)
  answers.set(
    path,
    isSignedIn.then((yes) => (yes ? ask(path) : undefined)),
  );
// The document names the files of this page, too, but not for others to load.
const page = location.pathname === '/' ? 'home' : task && 'task';
const files = document.querySelector<HTMLTemplateElement>(`#files-of-${page}`);
if (files) document.head.append(files.content);

/** No answer is no error here. */
function ask(path: string): Promise<Response | undefined> {
  return fetch(path, { signal: AbortSignal.timeout(MILLISECONDS) }).catch(() => undefined);
}

export {};
