import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { peopleQuery } from './project.ts';

/** What the people of a project are called, by id; who has left it is not among them. */
export function useNames(projectId: string): (id: string | undefined) => string | undefined {
  const { data } = useQuery({ ...peopleQuery(projectId), staleTime: 60_000 });
  return useCallback(
    (id) => {
      const person = data?.find(({ user_id }) => user_id === id);
      return person?.name ?? person?.email;
    },
    [data],
  );
}
