import { useEffect } from 'react';

const title = ['', '', '', ''];

/**
 * The title of the browser's tab. Its places: 0 is how many things wait, 1 the section, 2 the tab that
 * the section is under, 3 the thing.
 */
export function useTitle(text: string, place = 3): void {
  useEffect(() => {
    const show = (now: string) => {
      title[place] = now;
      const [count, ...names] = title;
      document.title = `${count && `(${count}) `}${[...names, 'Guildhall'].filter(Boolean).join(' · ')}`;
    };
    show(text);
    return () => show('');
  }, [text, place]);
}
