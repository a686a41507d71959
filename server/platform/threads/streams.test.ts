import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { until } from '../../testing/harness/until.ts';
import { openStreams } from './streams.ts';

/** Work of which the other end is slow, fails, has had enough or ends. */

const SERVE = new URL('./serve-streams.ts', import.meta.url);
/** `counts`: how much it has yielded or taken, and whether its work goes on. */
const SOURCE = `
  import { serveStreams } from ${JSON.stringify(SERVE)};
  async function* answer({ do: what, counts }, input) {
    Atomics.add(counts, 1, 1);
    try {
      if (what === 'echo') yield* input;
      if (what === 'fail') throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
      if (what === 'refuse') for await (const part of input) throw new Error('refused');
      if (what === 'ignore') yield Buffer.from('ignored');
      if (what === 'exhaust') for (const all = [];;) all.push(new Array(100_000).fill(all.length));
      if (what === 'exit') process.exit(3);
      if (what === 'take') for await (const part of input) Atomics.add(counts, 0, part.length);
      if (what === 'yield') for (;;) {
        Atomics.add(counts, 0, 65_536);
        yield new Uint8Array(65_536);
      }
    } finally {
      Atomics.sub(counts, 1, 1);
    }
  }
  serveStreams(answer);`;
const FILE = new URL(`data:text/javascript,${encodeURIComponent(SOURCE)}`);
const options = { timeout: 60_000 };

interface Work {
  do: string;
  counts: Int32Array<SharedArrayBuffer>;
}

const streams = openStreams<Work>(FILE, { name: 'test', idle: 600_000, memoryMb: 32 });
const work = (what: string): Work => ({
  do: what,
  counts: new Int32Array(new SharedArrayBuffer(8)),
});
const passed = ({ counts }: Work) => Atomics.load(counts, 0);
const goesOn = ({ counts }: Work) => Atomics.load(counts, 1) > 0;

async function all(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

/** Remembers whether it was ended. */
function source(parts: Iterable<Uint8Array>, fails?: Error) {
  const state = { ended: false, yielded: 0 };
  async function* yielding() {
    try {
      for (const part of parts) {
        state.yielded += part.length;
        yield part;
      }
      if (fails !== undefined) throw fails;
    } finally {
      state.ended = true;
    }
  }
  return { state, input: yielding() };
}

function* endless(): Generator<Uint8Array> {
  for (;;) yield new Uint8Array(10_000);
}

test(
  'bytes go to the thread and come back in their order, however they are cut',
  options,
  async () => {
    const bytes = Buffer.from(Array.from({ length: 700_001 }, (_, i) => i % 251));
    const cut = [0, 1, 1, 512, 300_000, 300_001, 600_000, bytes.length];
    const parts = cut.slice(1).map((end, i) => bytes.subarray(cut[i], end));
    const { input, state } = source(parts);
    assert.deepEqual(await all(streams.open(work('echo'), { input })), bytes);
    assert.ok(state.ended);
    // What was sent was a copy.
    assert.deepEqual(Buffer.concat(parts), bytes);
    assert.deepEqual(await all(streams.open(work('echo'))), Buffer.alloc(0));
  },
);

test(
  'an error of the thread keeps its message and code, and is that of its work alone',
  options,
  async () => {
    const other = work('yield');
    const stream = streams.open(other);
    await stream.next();
    await assert.rejects(all(streams.open(work('fail'))), { code: 'ENOSPC', message: 'no room' });
    await stream.next();
    await stream.return(undefined);
    assert.equal(goesOn(other), false);
  },
);

test('an error of the input is thrown as it is, and ends the work', options, async () => {
  const fault = new Error('the network is gone');
  const one = work('take');
  await assert.rejects(
    all(streams.open(one, { input: source([Buffer.alloc(9)], fault).input })),
    (error) => error === fault,
  );
  assert.equal(goesOn(one), false);
});

test('an input that the thread does not want is ended', options, async () => {
  for (const what of ['refuse', 'ignore', 'fail']) {
    const { input, state } = source(endless());
    await all(streams.open(work(what), { input })).catch(({ message }) =>
      assert.match(message, /refused|no room/),
    );
    assert.ok(state.ended, what);
  }
});

test('whoever has had enough ends the work', options, async () => {
  const one = work('yield');
  for await (const _ of streams.open(one)) break;
  assert.equal(goesOn(one), false);
});

test('a stop ends the work, whatever it waits for, and its reason is thrown', options, async () => {
  const stalled = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return {
      stop: resolve,
      input: (async function* () {
        await promise;
        yield Buffer.alloc(1);
      })(),
    };
  };
  for (const [what, input] of [
    ['yield', undefined],
    ['take', stalled()],
    ['take', { input: source(endless()).input }],
  ] as const) {
    const one = work(what);
    const stop = new AbortController();
    const stream = streams.open(one, { ...input, signal: stop.signal });
    const first = stream.next();
    await until('it goes on', async () => goesOn(one));
    if (what === 'yield') await first;
    stop.abort(new Error('stopped'));
    await assert.rejects(what === 'yield' ? all(stream) : first, /^Error: stopped$/);
    assert.equal(goesOn(one), false);
  }
  const signal = AbortSignal.abort(new Error('stopped before'));
  await assert.rejects(all(streams.open(work('yield'), { signal })), /stopped before/);
});

test(
  'a reader that is slow holds up the thread, and a thread that is slow its input',
  options,
  async () => {
    const one = work('yield');
    const stream = streams.open(one);
    await stream.next();
    const others = () => all(streams.open(work('ignore')));
    // Other work of the same thread has its turns meanwhile.
    for (let i = 0; i < 20; i += 1) assert.equal(String(await others()), 'ignored');
    const most = passed(one);
    for (let i = 0; i < 20; i += 1) await others();
    assert.equal(passed(one), most);
    assert.ok(most <= 2_000_000, `${most} bytes`);
    await stream.return(undefined);

    const { input, state } = source(endless());
    const echo = streams.open(work('echo'), { input });
    await echo.next();
    for (let i = 0; i < 20; i += 1) await others();
    assert.ok(state.yielded <= 4_000_000, `${state.yielded} bytes`);
    await echo.return(undefined);
    assert.ok(state.ended);
  },
);

test(
  'the end of the thread is an error for all that is under way, and the next gets another',
  options,
  async () => {
    for (const what of ['exit', 'exhaust']) {
      const { input, state } = source(endless());
      const other = streams.open(work('take'), { input }).next();
      const refused = assert.rejects(other, /^Error: The thread "test" has ended/);
      await turn();
      await assert.rejects(all(streams.open(work(what))), /^Error: The thread "test" has ended/);
      await refused;
      assert.ok(state.ended);
      assert.equal(String(await all(streams.open(work('ignore')))), 'ignored');
    }
  },
);

test('a process with a thread that has nothing to do ends', options, async () => {
  const script = `
    const { openStreams } = await import(${JSON.stringify(new URL('./streams.ts', import.meta.url))});
    const options = { name: 'test', idle: 600_000, memoryMb: 64 };
    const streams = openStreams(new URL(${JSON.stringify(FILE)}), options);
    const counts = new Int32Array(new SharedArrayBuffer(8));
    for await (const _ of streams.open({ do: 'yield', counts })) break;
    for await (const part of streams.open({ do: 'ignore', counts })) process.stdout.write(part);`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    script,
  ]);
  assert.equal(stdout, 'ignored');
});
