import { type RefCallback, useCallback, useState } from 'react';

/** Whether the element at `place` is so wide, in pixels. */
export function useHasRoom(least: number): { wide: boolean; place: RefCallback<HTMLElement> } {
  const [wide, setWide] = useState(true);
  const place = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return;
      const look = () => setWide(element.clientWidth >= least);
      const observer = new ResizeObserver(look);
      observer.observe(element);
      look();
      return () => observer.disconnect();
    },
    [least],
  );
  return { wide, place };
}
