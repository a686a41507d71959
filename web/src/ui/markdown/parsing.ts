import type { Part } from './tree.ts';
import type { Answered, Asked } from './worker.ts';

/**
 * Markdown is read in a thread of its own, one text after the other: some short texts take the
 * parser minutes, and no one who opens a page chose what an agent has written.
 */

/** A text that takes longer is shown as its source. */
const WITHIN_MS = 3_000;

/** What is drawn, or why it is not: it is more than a page can draw, or takes too long to read. */
export type Outcome = Part[] | 'too much' | 'too slow';

interface Job {
  text: string;
  done(outcome: Outcome): void;
}

const waiting: Job[] = [];
let thread: Worker | undefined;
let current: { id: number; job: Job; timer: ReturnType<typeof setTimeout> } | undefined;
let count = 0;

/** Calls `done` once. What it returns takes a text back that has not been begun with. */
export function parse(text: string, done: (outcome: Outcome) => void): () => void {
  const job = { text, done };
  waiting.push(job);
  next();
  return () => {
    const place = waiting.indexOf(job);
    if (place >= 0) waiting.splice(place, 1);
  };
}

function next(): void {
  if (current !== undefined) return;
  const job = waiting.shift();
  if (job === undefined) return;
  thread ??= started();
  const id = ++count;
  current = { id, job, timer: setTimeout(giveUp, WITHIN_MS) };
  thread.postMessage({ id, text: job.text } satisfies Asked);
}

function started(): Worker {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data: { id, parts } }: MessageEvent<Answered>) => {
    if (id === current?.id) end(parts ?? 'too much');
  };
  // It could not be loaded, or has used up its memory.
  worker.onerror = giveUp;
  return worker;
}

function giveUp(): void {
  thread?.terminate();
  thread = undefined;
  end('too slow');
}

function end(outcome: Outcome): void {
  if (current === undefined) return;
  const { job, timer } = current;
  clearTimeout(timer);
  current = undefined;
  job.done(outcome);
  next();
}
