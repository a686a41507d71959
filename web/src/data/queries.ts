import { QueryClient } from '@tanstack/react-query';

/** A session that has ended shows in the next answer, also to a form: it is asked for again. */
export function noteEndOfSession(answer: Response): Response {
  if (answer.status === 401) void queries.invalidateQueries({ queryKey: ['session'] });
  return answer;
}

/**
 * What the pages have read. Cached data is shown first and read again when it is ten seconds old;
 * the client itself repeats what may be repeated.
 */
export const queries: QueryClient = new QueryClient({
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
