import { useSyncExternalStore } from 'react';

// As `lg:` of the style sheet.
const wide = matchMedia('(min-width: 64rem)');

function subscribe(listener: () => void): () => void {
  wide.addEventListener('change', listener);
  return () => wide.removeEventListener('change', listener);
}

/** Whether the conversation and a document fit beside each other. */
export const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => wide.matches);
