import { useCallback, useMemo, useState, useSyncExternalStore } from 'react';
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
/** Characters of a line by which what is written about it is found again. */
export const MOST_KEPT = 500;

/**
 * The draft of one field. `place` is an id; `field` names the field there, with what it is about,
 * such as the version of a plan. `initial` is what the field holds without a draft; `about`, what
 * it is written about, such as the text of lines, by which that is found again.
 */
export function useDraft(place: string, field: string, initial = '', about?: string): Draft {
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
      if (text.trim() === '' || text === initial) remove(key);
      else write(key, text.slice(0, MOST_CHARACTERS), about);
    },
    [key, initial, about],
  );
  const forget = useCallback(() => {
    setHeld({ key, text: initial, opened: initial });
    remove(key);
  }, [key, initial]);
  return { text: held.text, opened: held.opened, keep, forget };
}

/** A draft that was left. */
export interface LeftDraft {
  field: string;
  text: string;
  about: string | undefined;
  forget: () => void;
  /** It is that of another field from now on. */
  moveTo: (field: string) => void;
}

/** The drafts of a place whose fields begin with this, as they are now, the oldest first. */
export function useDraftsOf(place: string, field: string): LeftDraft[] {
  const before = `${DRAFT}${useUser().id} ${place} `;
  const state = useSyncExternalStore(subscribe, () => changes);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the storage is read again when it has changed
  return useMemo(
    () =>
      storedKeys(`${before}${field}`)
        .flatMap((key) => {
          const draft = read(key);
          return draft === undefined ? [] : [{ key, ...draft }];
        })
        .sort((a, b) => a.at - b.at)
        .map(({ key, text, about }) => ({
          field: key.slice(before.length),
          text,
          about,
          forget: () => remove(key),
          moveTo: (other) => {
            write(`${before}${other}`, text, about);
            if (`${before}${other}` !== key) remove(key);
          },
        })),
    [before, field, state],
  );
}

let changes = 0;
const listeners = new Set<() => void>();

function changed(): void {
  changes += 1;
  for (const each of listeners) each();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', changed);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) removeEventListener('storage', changed);
  };
}

function remove(key: string): void {
  writeStored(key, undefined);
  changed();
}

function write(key: string, text: string, about: string | undefined): void {
  if (readStored(key) === null) makeRoom();
  writeStored(key, JSON.stringify({ text, at: Date.now(), about }));
  changed();
}

function read(key: string): { text: string; at: number; about: string | undefined } | undefined {
  const value = readStoredJson(key);
  if (typeof value !== 'object' || value === null) return undefined;
  const { text, at, about } = value as Record<string, unknown>;
  return typeof text === 'string' && typeof at === 'number'
    ? { text, at, about: typeof about === 'string' ? about : undefined }
    : undefined;
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
