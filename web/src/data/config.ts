import { queryOptions, useQuery } from '@tanstack/react-query';
import { guildhall } from './api.ts';
import { useUser } from './session.ts';

/** What this server offers: models, limits, features. The same for every person. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => guildhall.get('/api/config', {}, { signal }),
  staleTime: 300_000,
});

/** How work is paid for on this server; undefined until that is known. */
export const useBilling = () => useQuery(configQuery).data?.features.billing;

/** What the person may create on this server at all; in a workspace, their role counts as well. */
export function useMayCreate(): { workspaces: boolean; projects: boolean; personal: boolean } {
  const features = useQuery(configQuery).data?.features;
  const { operator = false } = useUser();
  const projects = operator || features?.create_projects !== 'operators';
  return {
    workspaces: operator || features?.create_workspaces !== 'operators',
    projects,
    personal: projects && features?.create_projects !== 'in_workspaces',
  };
}
