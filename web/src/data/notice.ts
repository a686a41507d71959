import { queryOptions } from '@tanstack/react-query';
import { queries } from './queries.ts';

/** What the page after an act says about it, until it is dismissed. */
export const noticeQuery = queryOptions({
  queryKey: ['notice'],
  queryFn: (): string | null => null,
  initialData: null,
  staleTime: Number.POSITIVE_INFINITY,
});

export const leaveNotice = (text: string | null): void => {
  queries.setQueryData(noticeQuery.queryKey, text);
};
