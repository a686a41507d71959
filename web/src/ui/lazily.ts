import { type ComponentType, lazy } from 'react';
import { patiently } from '../data/patiently.ts';

/** A component that is loaded when it is first shown, as `patiently` loads; it needs a Suspense. */
export const lazily = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> => lazy(() => patiently(async () => ({ default: await load() })));
