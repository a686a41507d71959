import { useEffect, useState } from 'react';
import { useDraft } from '../../data/drafts.ts';
import { noteRevising } from './revising.ts';

/** A person's text of the plan that is not saved yet, and the version that it began with. */
export interface Revision {
  open: boolean;
  base: number;
  text: string | undefined;
  begin: () => void;
  keep: (text: string) => void;
  end: () => void;
}

/** A revision outlives a reload, another panel and a newer version of the agent. */
export function useRevision(taskId: string, latest: number): Revision {
  const draft = useDraft(taskId, 'plan');
  const base = useDraft(taskId, 'plan base');
  const [begun, setBegun] = useState<number>();
  const kept = draft.text === '' ? undefined : Number(base.text) || latest;
  const on = begun ?? kept;
  const typed = kept !== undefined;
  useEffect(() => {
    noteRevising(taskId, on !== undefined);
    // On another panel, only what was typed is still there.
    return () => noteRevising(taskId, typed);
  }, [taskId, on, typed]);
  return {
    open: on !== undefined,
    base: on ?? latest,
    text: draft.text === '' ? undefined : draft.opened || draft.text,
    begin: () => setBegun(latest),
    keep: (text) => {
      draft.keep(text);
      base.keep(String(on ?? latest));
    },
    end: () => {
      draft.forget();
      base.forget();
      setBegun(undefined);
    },
  };
}
