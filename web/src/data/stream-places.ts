import { readStored, writeStored } from './storage.ts';

/**
 * Places for event streams, which all tabs of a browser share. Browsers open six connections to a
 * server over HTTP/1.1, for all tabs together: with as many streams, no page would load any more.
 */

const PLACES = ['guildhall-stream-0', 'guildhall-stream-1', 'guildhall-stream-2'];

type Work = (signal: AbortSignal) => Promise<void>;

/**
 * Does what needs a place, until it ends or `signal` is aborted. Returns false if all places are
 * taken. Other `places` than those of streams are for what one tab does for all.
 */
export async function inPlace(work: Work, places: readonly string[] = PLACES): Promise<boolean> {
  if (!isSecureContext) await freeUnheld(places);
  for (const place of places)
    if (await (isSecureContext ? locked(place, work) : noted(place, work))) return true;
  return false;
}

const locked = (place: string, work: Work): Promise<boolean> =>
  navigator.locks.request(place, { ifAvailable: true }, async (lock) => {
    if (lock === null) return false;
    await work(new AbortController().signal);
    return true;
  });

const CHANNEL = 'guildhall-stream-places';
/** How long a tab may take to answer that it holds a place. */
const ANSWERED_MS = 2_000;
/** How long two tabs may take to see what the other has written. */
const SETTLED_MS = 100;

/**
 * Pages over plain HTTP have no Web Locks: there, a tab notes that it holds a place in the storage
 * that the tabs share. Of two that write at once, the later one has the place.
 */
async function noted(place: string, work: Work): Promise<boolean> {
  if (readStored(place) !== null) return false;
  const holder = String(Math.random());
  const isMine = () => readStored(place)?.startsWith(holder) === true;
  const note = () => writeStored(place, `${holder} ${Date.now()}`);
  const leaving = new AbortController();
  // From the first moment: who asks takes a note that stays as it was for that of a tab that is gone.
  const questions = new BroadcastChannel(CHANNEL);
  questions.onmessage = () => (isMine() ? note() : leaving.abort());
  note();
  await pause(SETTLED_MS);
  if (!isMine()) {
    questions.close();
    return false;
  }
  const release = () => {
    questions.close();
    if (isMine()) writeStored(place, undefined);
    leaving.abort();
  };
  addEventListener('pagehide', release, { once: true });
  try {
    await work(leaving.signal);
  } finally {
    removeEventListener('pagehide', release);
    release();
  }
  return true;
}

/**
 * A tab that ends without a `pagehide`, as a crashed one does, leaves its note. When all places are
 * taken, the tabs are asked which they hold, and each writes its note anew; the others are free.
 */
async function freeUnheld(places: readonly string[]): Promise<void> {
  const notes = places.map((place) => readStored(place));
  if (notes.includes(null)) return;
  const questions = new BroadcastChannel(CHANNEL);
  questions.postMessage('held?');
  questions.close();
  await pause(ANSWERED_MS);
  places.forEach((place, i) => {
    if (readStored(place) === notes[i]) writeStored(place, undefined);
  });
}

const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time));
