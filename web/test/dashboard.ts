import { type Harness, startLasting } from '../../server/testing/harness/harness.ts';
import { DASHBOARD } from './browser.ts';

let shared: Promise<Harness> | undefined;

/**
 * A server with the dashboard, once `openBrowser` has built it, for all test files of this process:
 * such a test does not look at what others might have left.
 */
export async function startDashboard(): Promise<Harness> {
  shared ??= startLasting({ dashboard: DASHBOARD });
  return shared;
}
