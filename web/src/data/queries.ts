import { GuildhallError } from '@guildhall/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

/** A session that has ended shows in the next answer: the session is asked for again. */
function noteEndOfSession(error: unknown): void {
  if (error instanceof GuildhallError && error.status === 401)
    void queries.invalidateQueries({ queryKey: ['session'] });
}

/**
 * What the pages have read. Cached data is shown first and read again when it is ten seconds old;
 * the client itself repeats what may be repeated.
 */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteEndOfSession }),
  mutationCache: new MutationCache({ onError: noteEndOfSession }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 600_000,
      retry: false,
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
});
