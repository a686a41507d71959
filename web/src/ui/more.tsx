import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from './button.tsx';
import { Failure } from './failure.tsx';

/** A list that is read page by page, as `useInfiniteQuery` has it. */
interface Paged {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
  fetchNextPage: () => unknown;
}

/**
 * The end of a list that has more: it reads on by itself before it comes into sight, and by a button.
 * After an error the button alone reads on.
 */
export function More({ list }: { list: Paged }): ReactNode {
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetchingNextPage: busy, isFetchNextPageError: failed } = list;
  const next = useRef(list.fetchNextPage);
  next.current = list.fetchNextPage;
  useEffect(() => {
    const element = end.current;
    if (element === null || !hasNextPage || busy || failed) return;
    const observer = new IntersectionObserver(
      // The last one is how it is now.
      (entries) => {
        if (entries.at(-1)?.isIntersecting) next.current();
      },
      { root: element.closest('main'), rootMargin: '800px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [hasNextPage, busy, failed]);
  if (!hasNextPage) return null;
  return (
    <div ref={end} className="flex flex-col items-start gap-2">
      {failed && <Failure error={list.error} />}
      <Button busy={busy} onClick={() => void list.fetchNextPage()}>
        Show more
      </Button>
    </div>
  );
}
