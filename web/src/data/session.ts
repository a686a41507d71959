import { queryOptions, useQuery } from '@tanstack/react-query';
import { auth } from './api.ts';
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
  if (data?.user === undefined) throw new Error('a page behind the sign-in, without a session');
  return data.user;
}

/**
 * Ends the session. What the page still waits for is given up before: it would be refused. Streams
 * hear of it by the event.
 */
export async function signOut(): Promise<void> {
  dispatchEvent(new Event('signout'));
  await queries.cancelQueries();
  await auth.post('/auth/sign-out');
}

/** After a sign-in, a second factor or a sign-out: nothing of the former session is kept. */
export async function sessionChanged(): Promise<void> {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
  await queries.invalidateQueries({ queryKey: ['session'] });
}
