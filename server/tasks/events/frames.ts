import type { TaskEvent } from './event-log.ts';

/** An event as a stream sends it (server-sent events, HTML standard). */
export interface Frame {
  seq: number;
  type: string;
  bytes: Buffer;
}

/** The JSON text of an event, in a page and as the data of a frame. */
export const eventJson = ({ seq, type, turnId, createdAt, payload }: TaskEvent): string =>
  `{"seq":${seq},"type":"${type}",${turnId === null ? '' : `"turn_id":"${turnId}",`}` +
  `"created_at":"${createdAt.toISOString()}","payload":${payload}}`;

// JSON text has no line ends, so that its data takes one line.
export const frameOf = (event: TaskEvent): Frame => ({
  seq: event.seq,
  type: event.type,
  bytes: Buffer.from(`id: ${event.seq}\nevent: ${event.type}\ndata: ${eventJson(event)}\n\n`),
});

/** Tells a reader that events before `first` are no longer kept: it goes on with that one. */
export const resetFrame = (first: number): Buffer =>
  Buffer.from(`id: ${first - 1}\nevent: reset\ndata: {"first_seq":${first}}\n\n`);

/** What one write of a stream takes. */
const WRITE = 64 * 1024;

/** Frames of `from` after a number, as one piece of about 64 KB, or more for one large frame. */
export function joined(
  from: readonly Frame[],
  after: number,
): { last: number; bytes: Buffer } | undefined {
  const start = after + 1 - (from[0]?.seq ?? 0);
  const first = from[start];
  if (start < 0 || first === undefined) return undefined;
  let end = start + 1;
  let size = first.bytes.length;
  for (; end < from.length; end++) {
    size += (from[end] as Frame).bytes.length;
    if (size > WRITE) break;
  }
  const frames = from.slice(start, end);
  const last = (frames.at(-1) as Frame).seq;
  if (frames.length === 1) return { last, bytes: first.bytes };
  return { last, bytes: Buffer.concat(frames.map(({ bytes }) => bytes)) };
}
