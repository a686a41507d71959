import type { TaskEvent } from '../server/tasks/events/event-log.ts';
import { withoutSecrets } from '../server/telemetry/hide-secrets.ts';
import { codeSentence } from './code-event.ts';
import { printable } from './printable.ts';

const WIDTH = 160;

/**
 * An event as one line for people. What looks like a secret is left out, also in what agents say.
 */
export const eventLine = ({ seq, type, createdAt, payload }: TaskEvent): string =>
  [
    createdAt.toISOString().slice(11, 19),
    String(seq).padStart(5),
    type.padEnd(16),
    withoutSecrets(printable(codeSentence(type, payload) ?? payload, WIDTH)),
  ].join('  ');

/** The same as data. */
export const eventData = ({ seq, type, turnId, createdAt, payload }: TaskEvent) => ({
  seq,
  type,
  ...(turnId === null ? {} : { turn_id: turnId }),
  created_at: createdAt,
  payload: JSON.parse(withoutSecrets(payload)),
});
