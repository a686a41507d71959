import { useIsFetching } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { queries } from '../data/queries.ts';
import { Loading } from './loading.tsx';

/** What is asked for and has neither been answered nor failed. */
const FIRST = {
  predicate: ({ state }: { state: { status: string } }) => state.status === 'pending',
};

/**
 * Parts of a page that each ask for what they show: they appear together, once every answer is there,
 * so that none moves what a hand is about to press. What they ask for later holds nothing back.
 */
export function Together({ children }: { children: ReactNode }): ReactNode {
  const [shown, setShown] = useState(false);
  const asked = useIsFetching(FIRST);
  // The parts ask in their own effects, which come before this one: it counts anew.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the number changes
  useEffect(() => {
    if (queries.isFetching(FIRST) === 0) setShown(true);
  }, [asked]);
  return (
    <>
      {!shown && <Loading />}
      <div className={shown ? 'contents' : 'hidden'}>{children}</div>
    </>
  );
}
