import { queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';

/** What pages of a project read; every key begins with the project. */

export const projectQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id],
    queryFn: ({ signal }) =>
      guildhall.get('/api/projects/{project_id}', { project_id }, { signal }),
  });
