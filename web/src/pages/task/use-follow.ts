import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** Pixels from the end within which a reader is at the end. */
const NEAR = 40;

interface Follow {
  /** What scrolls, and what is in it. */
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  /** Whether the reader is elsewhere, so that what is new is not seen. */
  away: boolean;
  /** Leads to the end, and follows it again. */
  jump: () => void;
}

/**
 * Opens at the end, and stays there while the content grows; whoever reads further up is not moved.
 * While it follows, the browser must not move the reader to where a line was before (`overflow-anchor`).
 */
export function useFollow(): Follow {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [away, setAway] = useState(false);
  const follow = useCallback((now: boolean) => {
    follows.current = now;
    setAway(!now);
  }, []);
  const jump = useCallback(() => {
    follow(true);
    const element = scroller.current;
    element?.scrollTo(0, element.scrollHeight);
  }, [follow]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null || content.current === null) return;
    let before = { top: 0, height: 0 };
    const look = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      // Behind another tab of a phone it has no height, and no one scrolls it.
      if (clientHeight === 0) return;
      if (scrollHeight - scrollTop - clientHeight < NEAR) follow(true);
      // What became smaller moves the reader, too: that is nobody who scrolls up.
      else if (scrollTop < before.top && scrollHeight === before.height) follow(false);
      before = { top: scrollTop, height: scrollHeight };
    };
    const grown = new ResizeObserver(() => {
      if (follows.current) element.scrollTo(0, element.scrollHeight);
      before = { top: element.scrollTop, height: element.scrollHeight };
    });
    grown.observe(element);
    grown.observe(content.current);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      grown.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [follow]);
  return { scroller, content, away, jump };
}
