import { setTimeout as pause } from 'node:timers/promises';
import { type PodDriver, PodError } from '../../platform/pods/pod.ts';

/** Whether pods can be made now: while they cannot, no turn, check or deploy is begun. */
interface PodWatch {
  /** The driver; what it cannot do for lack of an answer counts at once. */
  driver: PodDriver;
  /** Why no work can begin, as a sentence; undefined while it can. */
  fault(): string | undefined;
  /** Whether that is for want of something else than pods. */
  lacks(): boolean;
  close(): void;
}

interface WatchOptions {
  /** Called when the fault has come, has changed, or is gone. */
  onChange(fault: string | undefined): void;
  /** Rejects with what else is missing, so that pods would be of no use. */
  requires?: () => Promise<void>;
  /** Milliseconds between two polls, while there is no fault and while there is one. */
  every?: { works: number; away: number };
}

const EVERY = { works: 10_000, away: 1_000 };
/** While the driver says that it works and pods cannot be started, the next try comes later each time. */
const MOST_BETWEEN_TRIES = 60_000;
/** The start of a process waits no longer for the first answer, in milliseconds. */
const FIRST_WITHIN = 5_000;

/** Resolves after the first poll. */
export async function watchPods(
  pods: PodDriver,
  { onChange, requires = async () => {}, every = EVERY }: WatchOptions,
): Promise<PodWatch> {
  let fault: string | undefined;
  let lacks = false;
  let looked = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  /** Pods in a row that could not be started, and until when no other is. */
  let failures = 0;
  let heldUntil = 0;

  function set(found: string | undefined): void {
    if (closed || found === fault) return;
    fault = found;
    onChange(found);
  }

  async function poll(): Promise<void> {
    const missing = await faultOf(requires());
    const found = missing ?? (await faultOf(pods.check()));
    looked = true;
    lacks = missing !== undefined;
    if (found !== undefined || performance.now() >= heldUntil) set(found);
    if (!closed) timer = setTimeout(poll, fault === undefined ? every.works : every.away).unref();
  }

  const noted = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error) => {
      if (error instanceof PodError && error.code === 'unavailable') {
        const pause = Math.min(every.away * 2 ** failures, MOST_BETWEEN_TRIES);
        heldUntil = performance.now() + pause;
        failures += 1;
        set(sentence(error.message));
      }
      throw error;
    });
  const attach = async (id: string) => {
    const pod = await noted(pods.attach(id));
    failures = 0;
    return pod;
  };

  await Promise.race([poll(), pause(FIRST_WITHIN, undefined, { ref: false })]);
  if (!looked) set(`Where pods are made has not answered within ${FIRST_WITHIN / 1_000} s.`);
  return {
    driver: {
      ...pods,
      create: (id, image) => noted(pods.create(id, image)),
      attach,
    },
    fault: () => fault,
    lacks: () => lacks,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

const faultOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: Error) => sentence(error.message),
  );

const sentence = (message: string): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith('.') ? '' : '.'}`;
