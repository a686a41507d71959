/**
 * One fault of a world file: a JSON pointer (RFC 6901) to it, and the rest of a sentence that
 * begins with the pointer.
 */
export interface Fault {
  pointer: string;
  message: string;
}

const SHOWN = 50;

/** A world that cannot be imported; nothing was. The message lists at most fifty faults. */
export class WorldError extends Error {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const shown = faults.slice(0, SHOWN);
    const lines = shown.map(
      ({ pointer, message }) => `  ${pointer || '(the whole file)'}: ${message}`,
    );
    if (faults.length > SHOWN) lines.push('  … and more; correct these first');
    const count =
      faults.length === 1
        ? 'a fault'
        : `${faults.length > SHOWN ? 'more than 50' : shown.length} faults`;
    super(`The world has ${count}, so nothing was imported:\n${lines.join('\n')}`);
    this.faults = shown;
  }
}
