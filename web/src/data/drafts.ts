import { useCallback, useState } from 'react';
import { DRAFT } from './forget-drafts.ts';
import { useUser } from './session.ts';
import { readStored, writeStored } from './storage.ts';
import { readStoredJson, storedKeys } from './stored-items.ts';

/**
 * What a person has typed and not sent yet, such as a message to an agent. It is kept in this browser,
 * by person, place (a task, a project) and field, until it is sent, emptied or a month old, or the
 * person signs out.
 */
export interface Draft {
  text: string;
  /** The text when the field was opened, for one that holds its own. */
  opened: string;
  /** Notes what the field holds now; an empty text is not kept. */
  keep: (text: string) => void;
  /** Once it was sent, or the person has given it up. */
  forget: () => void;
}

/** Of one person in one browser: beyond these, the oldest go. */
const MOST_DRAFTS = 50;
/** No field takes more. */
const MOST_CHARACTERS = 100_000;
const DAYS = 30;

/**
 * The draft of one field. `place` is an id; `field` names the field there, with what it is about,
 * such as the version of a plan. `initial` is what the field holds without a draft.
 */
export function useDraft(place: string, field: string, initial = ''): Draft {
  const key = `${DRAFT}${useUser().id} ${place} ${field}`;
  const open = () => {
    const text = read(key)?.text ?? initial;
    return { key, text, opened: text };
  };
  const [held, setHeld] = useState(open);
  if (held.key !== key) setHeld(open());
  const keep = useCallback(
    (text: string) => {
      setHeld(({ opened }) => ({ key, text, opened }));
      if (text.trim() === '' || text === initial) writeStored(key, undefined);
      else write(key, text.slice(0, MOST_CHARACTERS));
    },
    [key, initial],
  );
  const forget = useCallback(() => {
    setHeld({ key, text: initial, opened: initial });
    writeStored(key, undefined);
  }, [key, initial]);
  return { text: held.text, opened: held.opened, keep, forget };
}

function write(key: string, text: string): void {
  if (readStored(key) === null) makeRoom();
  writeStored(key, JSON.stringify({ text, at: Date.now() }));
}

function read(key: string): { text: string; at: number } | undefined {
  const value = readStoredJson(key);
  if (typeof value !== 'object' || value === null) return undefined;
  const { text, at } = value as Record<string, unknown>;
  return typeof text === 'string' && typeof at === 'number' ? { text, at } : undefined;
}

function makeRoom(): void {
  const oldest = Date.now() - DAYS * 86_400_000;
  storedKeys(DRAFT)
    .map((key) => ({ key, at: read(key)?.at ?? 0 }))
    .sort((a, b) => b.at - a.at)
    .forEach(({ key, at }, index) => {
      if (at < oldest || index >= MOST_DRAFTS - 1) writeStored(key, undefined);
    });
}
