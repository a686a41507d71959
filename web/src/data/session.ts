import { queryOptions, useQuery } from '@tanstack/react-query';
import { auth, holdRequests } from './api.ts';
import { queries } from './queries.ts';

/** Who is signed in on this browser, and how one can sign in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => auth.get('/auth/session', {}, { signal }),
  staleTime: 60_000,
});

/** The person who is signed in. Only pages behind the sign-in may use it. */
export function useUser() {
  const { data } = useQuery(sessionQuery);
  if (data?.user === undefined) throw new Error('no session');
  return data.user;
}

/**
 * Ends the session; a new page has to follow. What this one still waits for is given up before, and
 * what it asks for later is not sent, unless the sign-out fails: it would be refused. Streams hear of
 * it by the event, and begin anew, which is held back as well.
 */
export async function signOut(): Promise<void> {
  await queries.cancelQueries();
  const ended = auth.post('/auth/sign-out');
  holdRequests(
    ended.then(
      () => new Promise(() => {}),
      () => {},
    ),
  );
  dispatchEvent(new Event('signout'));
  await ended;
}

/** After a sign-in or a second factor: nothing of the former session is kept. */
export async function sessionChanged(): Promise<void> {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  await queries.invalidateQueries({ queryKey: ['session'] });
}
