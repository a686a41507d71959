import type { Hide } from '../../../telemetry/hide-secrets.ts';
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

/** `hide` removes the secrets that the command was given. */
export function commandLog(hide: Hide): CommandLog {
  const output = outputOf(KEPT_BYTES - LEFT_OUT.length, hide);
  return {
    add: output.add,
    text(options) {
      const { text, whole } = output.end(options);
      return (whole ? '' : LEFT_OUT) + text;
    },
  };
}
