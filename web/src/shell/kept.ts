import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { writeStored } from '../data/storage.ts';
import { readStoredJson } from '../data/stored-items.ts';

/** What this browser remembers of the sidebar. */

const FOLDED = 'guildhall-folded';
const RECENT = 'guildhall-recent';
const MOST_RECENT = 5;

/** A list of ids; empty if there is none, or something else. */
function kept(name: string): string[] {
  const value = readStoredJson(name);
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
}

const keep = (name: string, ids: string[]): void => writeStored(name, JSON.stringify(ids));

/** Whether a group of the sidebar is folded, and the way to change that. */
export function useFolded(group: string): [boolean, (folded: boolean) => void] {
  const [folded, setFolded] = useState(() => kept(FOLDED).includes(group));
  const fold = (now: boolean) => {
    keep(FOLDED, [...kept(FOLDED).filter((id) => id !== group), ...(now ? [group] : [])]);
    setFolded(now);
  };
  return [folded, fold];
}

/** The projects that a person has opened last on this browser, the newest first. */
export function useRecent(user: string): string[] {
  const name = `${RECENT}-${user}`;
  const [recent, setRecent] = useState(() => kept(name));
  const { project } = useParams({ strict: false });
  useEffect(() => {
    if (project === undefined) return;
    const now = [project, ...kept(name).filter((id) => id !== project)].slice(0, MOST_RECENT);
    keep(name, now);
    setRecent(now);
  }, [project, name]);
  return recent;
}
