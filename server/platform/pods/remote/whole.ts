import { Transform, type TransformCallback } from 'node:stream';
import type { EngineProcess } from './engine.ts';

/**
 * Output that is known to be whole. An engine drops what is still on its way when a process has
 * ended: Kubernetes does where the worker reads more slowly than the process writes, and says that
 * the process has succeeded. So the helper ends each of its outputs with bytes that nobody else
 * knows, and ends itself once the worker has sent them back.
 */

/** No text has the first byte, so that none of it is held back for longer than it has to. */
const FIRST = Buffer.of(0xff);

/** `last`: a UUID that was made for this process alone. */
export const endOf = (last: string): Buffer => Buffer.concat([FIRST, Buffer.from(last)]);

/** Passes a stream on up to those bytes, and takes what follows them without passing it on. */
export class UpTo extends Transform {
  readonly #end: Buffer;
  readonly #reached: () => void;
  #held: Buffer = Buffer.alloc(0);
  #over = false;

  constructor(end: Buffer, reached: () => void) {
    super();
    this.#end = end;
    this.#reached = reached;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#over) {
      done();
      return;
    }
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const at = all.indexOf(this.#end);
    this.#over = at !== -1;
    const passed = this.#over ? at : all.length - beginningAt(all, this.#end);
    this.#held = all.subarray(passed);
    if (passed > 0) this.push(all.subarray(0, passed));
    if (this.#over) {
      this.push(null);
      this.#reached();
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    if (!this.#over) this.push(this.#held);
    done();
  }
}

/** How many bytes at the end of a chunk may be the first ones of `end`. */
function beginningAt(chunk: Buffer, end: Buffer): number {
  const from = Math.max(0, chunk.length - end.length + 1);
  for (let at = chunk.indexOf(FIRST, from); at !== -1; at = chunk.indexOf(FIRST, at + 1)) {
    const length = chunk.length - at;
    if (chunk.subarray(at).equals(end.subarray(0, length))) return length;
  }
  return 0;
}

interface WholeProcess extends EngineProcess {
  /** It has succeeded without the end of its outputs, so its code is null. */
  readonly cut: boolean;
}

/** As a process of the helper that was told `last`. */
export function whole(process: EngineProcess, last: string): WholeProcess {
  const end = endOf(last);
  const { stdin, disconnect } = process;
  let open = 2;
  let cut = false;
  const reached = () => {
    open -= 1;
    if (open === 0 && stdin.writable) stdin.write(end);
  };
  return {
    stdin,
    stdout: process.stdout.pipe(new UpTo(end, reached)),
    stderr: process.stderr.pipe(new UpTo(end, reached)),
    exited: process.exited.then((code) => {
      cut = code === 0 && open > 0;
      return cut ? null : code;
    }),
    disconnect,
    get cut() {
      return cut;
    },
  };
}
