import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';

/** The least that the server looks for. */
const SHORTEST = 2;

/** Tasks by the words of their titles and conversations. */
export const searchQuery = (q: string) =>
  queryOptions({
    queryKey: ['search', q],
    queryFn: ({ signal }) => guildhall.get('/api/search', { q, limit: 10 }, { signal }),
    enabled: [...q].length >= SHORTEST,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
