import { type Loop, openLoop } from '../../../platform/loop.ts';
import { type Entry, type EntryOptions, openEntry } from './entry.ts';

const AGAIN_MS = 5_000;

/** The entry of a worker, which listens as soon as the address is free. */
export interface KeptEntry {
  start(): void;
  close(): Promise<void>;
}

/** Of the workers of one machine, one listens at a time; when it has ended, another one does. */
export function keptEntry(at: { host: string; port: number }, options: EntryOptions): KeptEntry {
  let entry: Entry | undefined;
  const loop: Loop = openLoop(
    async () => {
      entry ??= await openEntry(at, options).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRINUSE') return undefined;
        throw error;
      });
    },
    { every: AGAIN_MS, what: 'Listening for people who open ERP instances', log: options.log },
  );
  return {
    start() {
      loop.start();
      loop.run();
    },
    async close() {
      await loop.stop();
      await entry?.close();
    },
  };
}
