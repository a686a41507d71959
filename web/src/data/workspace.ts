import { queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';

/** What pages of a workspace read; every key begins with the workspace. */

export const workspaceQuery = (org_id: string) =>
  queryOptions({
    queryKey: ['workspace', org_id],
    queryFn: ({ signal }) => guildhall.get('/api/organizations/{org_id}', { org_id }, { signal }),
  });
