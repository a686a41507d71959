import type { OutgoingAnswer } from '../../platform/outgoing/outgoing.ts';
import { openThread } from '../../platform/threads/thread.ts';
import type { Fields, Needs, Schema } from './guarded-call.ts';
import type { Rights } from './permit.ts';
import type { Asked, Shown } from './protocol.ts';
import { Refusal } from './refusal.ts';

/**
 * What pods and servers send is read in threads, and nowhere else: either could send what takes
 * seconds to read, while everything else of the process would wait.
 */

interface Body {
  path: string;
  body: string;
}

type Answer = Pick<OutgoingAnswer, 'status' | 'headers' | 'body'>;

/** What can be asked of the thread, and what comes of it. */
export interface Readings {
  /** What was asked, without the arguments of a call. */
  request: { work: Body; done: Asked };
  /** A call that may be made, as the protocol writes it; a Refusal otherwise. */
  permit: { work: Body & { rights: Rights; known: Schema }; done: { encoded: string } | Needs };
  /** The fields of a model, in the answer of `fields_get`. */
  fields: { work: { path: string; answer: Answer }; done: Fields };
  /** What of an answer is for the agent. */
  answer: { work: { path: string; asked: Asked; secret: string; answer: Answer }; done: Shown };
  /** The user id in the answer of `authenticate`; undefined if it has none. */
  signedIn: { work: { body: Uint8Array }; done: number | undefined };
}

export type Kind = keyof Readings;
export type Work<K extends Kind = Kind> = { [Of in K]: { kind: Of } & Readings[Of]['work'] }[K];
export type Outcome = { done: unknown } | { refused: { status: number; message: string } };

const open = (name: string) =>
  openThread<Work, Outcome>(new URL('./reading-thread.ts', import.meta.url), {
    name,
    timeout: 10_000,
    memoryMb: 512,
  });

/** What is large waits for what is large, so that ordinary calls of other turns do not. */
const threads = { small: open('erp-calls'), large: open('erp-large-calls') };
const LARGE = 256 * 1024;

export type Read = <K extends Kind>(
  kind: K,
  work: Readings[K]['work'],
) => Promise<Readings[K]['done']>;

/** `party`: for whom it is; parties take turns. Rejects with a Refusal. */
export const readingFor =
  (party: string): Read =>
  async (kind, work) => {
    const size = 'answer' in work ? work.answer.body.length : work.body.length;
    const thread = size > LARGE ? threads.large : threads.small;
    const sent = { kind, ...work } as Work;
    const outcome = await thread.run(sent, { parties: [party] }).catch(() => undefined);
    if (outcome === undefined)
      throw kind === 'request' || kind === 'permit'
        ? new Refusal(413, 'The request takes too long to read: send less at once.')
        : new Refusal(502, 'The answer of the server takes too long to read: ask for less.');
    if ('refused' in outcome) throw new Refusal(outcome.refused.status, outcome.refused.message);
    return outcome.done as never;
  };
