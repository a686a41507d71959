import type { components, operations } from '@guildhall/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { guildhall } from './api.ts';
import { queries } from './queries.ts';

export type Routine = components['schemas']['Routine'];
export type RoutineRun = components['schemas']['RoutineRun'];
export type NewRoutine = operations['create_routine']['requestBody']['content']['application/json'];

export const routinesQuery = (project_id: string) =>
  queryOptions({
    queryKey: ['project', project_id, 'routines'],
    queryFn: ({ signal }) =>
      guildhall.get('/api/projects/{project_id}/routines', { project_id }, { signal }),
    refetchInterval: 30_000,
  });

/** The newest runs, read again soon while one is under way. */
export const runsQuery = (project_id: string, routine_id: string) =>
  infiniteQueryOptions({
    queryKey: ['project', project_id, 'routine-runs', routine_id],
    initialPageParam: { project_id, routine_id, limit: 20 },
    queryFn: ({ pageParam, signal }) =>
      guildhall.page('/api/projects/{project_id}/routines/{routine_id}/runs', pageParam, {
        signal,
      }),
    getNextPageParam: ({ next }) => (next && { ...next, limit: 100 }) as never,
    refetchInterval: ({ state: { data } }) => {
      const pages = data?.pages ?? [];
      if (pages.length > 2) return false;
      const open = pages.some(({ items }) =>
        items.some(({ state }) => state === 'waiting' || state === 'begun'),
      );
      return open ? 2_000 : 15_000;
    },
  });

export async function refreshRoutines(project_id: string): Promise<void> {
  await Promise.all(
    ['routines', 'routine-runs'].map((what) =>
      queries.invalidateQueries({ queryKey: ['project', project_id, what] }),
    ),
  );
}
