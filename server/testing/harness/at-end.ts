import { AsyncResource } from 'node:async_hooks';
import { after } from 'node:test';

/**
 * Runs `close` after all tests of this process, also when a test asks for it: a hook that is
 * registered in a test runs at the end of that test. It must be called once there is something to
 * close: hooks that are registered before the first test may run before tests that come after an
 * `await` of their file.
 */
export const atEnd = AsyncResource.bind((close: () => Promise<void>): void => after(close));
