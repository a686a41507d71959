/**
 * Places for event streams, which all tabs of a browser share. Browsers open six connections to a
 * server over HTTP/1.1, for all tabs together: with as many streams, no page would load any more.
 */

const PLACES = 3;

type Work = (signal: AbortSignal) => Promise<void>;

/**
 * Does what needs a place, until it ends or `signal` is aborted. Returns false at once if all
 * places are taken.
 */
export async function inPlace(work: Work): Promise<boolean> {
  for (let place = 0; place < PLACES; place++) {
    const name = `guildhall-stream-${place}`;
    if (await (isSecureContext ? locked(name, work) : leased(name, work))) return true;
  }
  return false;
}

const locked = (name: string, work: Work): Promise<boolean> =>
  navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock === null) return false;
    await work(new AbortController().signal);
    return true;
  });

// A hidden tab may run a timer once a minute, so a lease outlasts two of these minutes. The lease of
// a tab that has crashed runs out.
const RENEWED_EVERY_MS = 30_000;
const LEASE_MS = 150_000;
/** How long two tabs may take to see what the other has written. */
const SETTLED_MS = 100;

/**
 * Pages over plain HTTP have no Web Locks: there, a tab writes a lease into the storage that the tabs
 * share. Of two that write at once, the later one has the place.
 */
async function leased(name: string, work: Work): Promise<boolean> {
  const [, until = 0] = localStorage.getItem(name)?.split(' ') ?? [];
  if (Number(until) > Date.now()) return false;
  const holder = String(Math.random());
  const isMine = () => localStorage.getItem(name)?.startsWith(`${holder} `) === true;
  const renew = () => localStorage.setItem(name, `${holder} ${Date.now() + LEASE_MS}`);
  renew();
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  if (!isMine()) return false;
  const timer = setInterval(renew, RENEWED_EVERY_MS);
  const leaving = new AbortController();
  const release = () => {
    clearInterval(timer);
    if (isMine()) localStorage.removeItem(name);
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
