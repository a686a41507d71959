import { inThread } from '../thread.ts';
import type { Part } from './tree.ts';

/** A text that takes longer is shown as its source. */
const WITHIN_MS = 3_000;

/** What is drawn, or why it is not: it is more than a page can draw, or takes too long to read. */
export type Outcome = Part[] | 'too much' | 'too slow';

export interface Asked {
  text: string;
  /** Whether parts say on which lines they stand. */
  withLines: boolean;
}

// Some short texts take the parser minutes, and no one who opens a page chose what an agent wrote.
const ask = inThread<Asked, Part[] | 'too much'>(
  () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' }),
  WITHIN_MS,
);

/** Calls `done` once. What it returns takes a text back that has not been begun with. */
export const parse = (asked: Asked, done: (outcome: Outcome) => void): (() => void) =>
  ask(asked, (parts) => done(parts ?? 'too slow'));
