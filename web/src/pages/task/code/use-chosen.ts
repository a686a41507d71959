import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { type LineRange, rangeOf, rangeText } from './rows.ts';

/** The lines that are chosen, which the address names, and whether a comment on them is written. */
interface Chosen {
  path: string | undefined;
  range: LineRange | undefined;
  writing: boolean;
  /** While the mouse is pressed. */
  drag: (range: LineRange) => void;
  choose: (range: LineRange, write: boolean) => void;
  close: () => void;
}

export function useChosen(): Chosen {
  const { file, lines } = useSearch({ from: '/signed-in/projects/$project/tasks/$task' });
  const navigate = useNavigate({ from: '/projects/$project/tasks/$task' });
  const [dragged, setDragged] = useState<LineRange>();
  const [writing, setWriting] = useState(false);
  const named = useMemo(() => rangeOf(file, lines), [file, lines]);
  return {
    path: file,
    range: dragged ?? named,
    writing: writing && dragged === undefined,
    drag: setDragged,
    choose: (range, write) => {
      setDragged(undefined);
      setWriting(write);
      void navigate({
        to: '.',
        search: (search) => ({ ...search, file: range.path, lines: rangeText(range) }),
        replace: true,
      });
    },
    close: () => {
      setWriting(false);
      void navigate({
        to: '.',
        search: ({ file: _, lines: __, ...search }) => search,
        replace: true,
      });
    },
  };
}
