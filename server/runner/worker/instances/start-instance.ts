import { setTimeout as pause } from 'node:timers/promises';
import {
  type InstanceDriver,
  InstanceError,
  type InstanceSpec,
  type InstanceState,
  isReady,
} from '../../../erp/index.ts';

/** In milliseconds. */
const POLL_EVERY_MS = 200;
const ASK_AGAIN_MS = 1_000;

interface Starting {
  driver: InstanceDriver;
  spec: InstanceSpec;
  /** It was ready before, so its data must be there. */
  wasReady: boolean;
  /** How long it may take to be ready, in milliseconds. */
  within: number;
  /** Ends the wait: the instance is not wanted any more, or belongs to another worker. */
  signal: AbortSignal;
}

/**
 * Makes an instance ready and resolves with where it is reached. Rejects with InstanceError, or with
 * the reason of the signal.
 */
export async function startInstance(starting: Starting): Promise<string> {
  const { driver, spec, wasReady, within, signal } = starting;
  if (wasReady && (await certainState(driver, spec.id)) === 'absent')
    throw new InstanceError('absent', 'an instance that was ready has no place any more');
  signal.throwIfAborted();
  await driver.create(spec);
  await driver.start(spec);
  const deadline = performance.now() + within;
  for (;;) {
    signal.throwIfAborted();
    const url = await driver.url(spec.id);
    if (url !== undefined && (await isReady(url, spec))) {
      // What answers there is another program if the instance has ended.
      const { state, reason } = await driver.find(spec.id);
      if (state !== 'stopped' && state !== 'absent') return url;
      throw endedMeanwhile(reason);
    }
    const { state, reason } = await driver.find(spec.id);
    if (state === 'stopped' || state === 'absent') throw endedMeanwhile(reason);
    if (performance.now() > deadline)
      throw new InstanceError(
        'failed',
        ['an instance does not answer', reason].filter(Boolean).join(': '),
        {
          sentence: `The instance was not ready within ${Math.round(within / 1_000)} seconds.`,
        },
      );
    await pause(POLL_EVERY_MS);
  }
}

const endedMeanwhile = (reason: string | undefined) =>
  new InstanceError('failed', `an instance ended as it was started. ${reason ?? ''}`.trim());

/** As `find`, but an instance is gone only when its driver has said so twice. */
async function certainState(driver: InstanceDriver, id: string): Promise<InstanceState> {
  const { state } = await driver.find(id);
  if (state !== 'absent') return state;
  await pause(ASK_AGAIN_MS);
  return (await driver.find(id)).state;
}
