import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

/** Waits until this holds. Fails after `within` milliseconds, which only end what hangs. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  within = 60_000,
): Promise<void> {
  const end = performance.now() + within;
  while (!(await holds())) {
    assert.ok(performance.now() < end, `waited in vain: ${what}`);
    await pause(20);
  }
}
