import { StringDecoder } from 'node:string_decoder';
import { fields } from '../agents/read-update.ts';
import type { Json } from './model-api.ts';

/** A line longer than this is not read; the answer still goes through. */
const MAX_LINE = 8 * 1024 ** 2;

/** Reads server-sent events whose data is JSON. What is no such event is left out. */
export function eventReader(read: (event: Json) => void) {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let dropping = false;

  const line = (text: string) => {
    if (!text.startsWith('data:')) return;
    const event = parse(text.slice('data:'.length));
    if (event !== undefined) read(event);
  };

  return {
    push(chunk: Buffer): void {
      const [first = '', ...others] = decoder.write(chunk).split('\n');
      if (!dropping) rest += first;
      if (others.length > 0) {
        if (!dropping) line(rest);
        dropping = false;
        rest = others.pop() as string;
        others.forEach(line);
      }
      if (rest.length > MAX_LINE) {
        dropping = true;
        rest = '';
      }
    },
    end(): void {
      if (!dropping) line(rest);
    },
  };
}

/** A JSON object; undefined for anything else. */
export function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? fields(value)
      : undefined;
  } catch {
    return undefined;
  }
}
