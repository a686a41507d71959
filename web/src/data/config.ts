import { queryOptions, useQuery } from '@tanstack/react-query';
import { guildhall } from './api.ts';

/** What this server offers: models, limits, features. The same for every person. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => guildhall.get('/api/config', {}, { signal }),
  staleTime: 300_000,
});

/** How work is paid for on this server; undefined until that is known. */
export const useBilling = () => useQuery(configQuery).data?.features.billing;
