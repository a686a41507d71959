import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

/** Waits until this holds; fails after `within` milliseconds. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  within = 10_000,
): Promise<void> {
  const end = performance.now() + within;
  while (!(await holds())) {
    assert.ok(performance.now() < end, `waited in vain: ${what}`);
    await pause(20);
  }
}
