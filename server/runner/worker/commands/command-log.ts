import { outputOf } from './output.ts';

/** What a command has written, of which the end is kept. */
export interface CommandLog {
  add(chunk: Uint8Array): void;
  /** The end of it, in whole lines, without secrets; while it is `growing`, without what may be one. */
  text(options?: { growing?: boolean }): string;
}

/** Bytes of a log that are kept: the last ones. */
export const KEPT_BYTES = 262_144;
const LEFT_OUT = '[What was written before was left out.]\n';

/** Of a command that is given no secret: what has the form of a well-known key is hidden. */
export function commandLog(): CommandLog {
  const output = outputOf(KEPT_BYTES - LEFT_OUT.length);
  return {
    add: output.add,
    text(options) {
      const { text, whole } = output.end(options);
      return (whole ? '' : LEFT_OUT) + text;
    },
  };
}
