import { LARGEST_PAYLOAD, type NewEvent } from './event-log.ts';
import type { EncodedEvent } from './statements.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An event in the form in which PostgreSQL always takes it. Throws a TypeError for any other. */
export function encode({ type, payload, turnId }: NewEvent): EncodedEvent {
  if (!/^[a-z_]{1,50}$/.test(type)) throw new TypeError(`An event has no type ${inspected(type)}.`);
  if (turnId !== undefined) requireUuid(turnId);
  // JSON has escapes for U+0000 and for half of a surrogate pair, so its text holds neither.
  const text = JSON.stringify(payload);
  if (text === undefined) throw new TypeError(`The payload of an event ${type} is no JSON value.`);
  const bytes = Buffer.byteLength(text);
  return {
    type,
    turnId: turnId ?? null,
    payload: bytes <= LARGEST_PAYLOAD ? text : JSON.stringify({ omitted: 'too_large', bytes }),
  };
}

/** Throws a TypeError for anything but a UUID in lower case. */
export function requireUuid(id: string): void {
  if (!UUID.test(id)) throw new TypeError(`${inspected(id)} is not a UUID in lower case.`);
}

const inspected = (value: unknown) => JSON.stringify(String(value).slice(0, 60));
