import { connect, type Socket } from 'node:net';

/**
 * One request, ready to be written to a connection. `check` examines the body of an answer and
 * returns what is wrong.
 */
export interface LoadRequest {
  bytes: Buffer;
  check(body: string): string | undefined;
}

interface LoadOptions {
  /** An http:// address. */
  url: string;
  connections: number;
  /** Returns the next request of the mix. */
  next(): LoadRequest;
  /** Ends after this many seconds … */
  seconds?: number;
  /** … or after this many requests. */
  requests?: number;
  /**
   * Requests per second to offer; without it, every connection sends the next request as soon as it
   * has an answer.
   */
  rate?: number;
}

/** `latencies` in milliseconds, sorted. `wrong` holds the first wrong answers. */
interface LoadResult {
  seconds: number;
  requests: number;
  latencies: Float64Array;
  statuses: Record<number, number>;
  wrong: string[];
}

const CHECK_EVERY = 100;
const GIVE_UP_MS = 15_000;

/**
 * Loads a server over keep-alive connections, one request at a time on each. It shares the machine
 * with what it measures, so it does as little as possible: answers are split by their
 * Content-Length, and one body in a hundred is checked.
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { hostname, port } = new URL(options.url);
  const limit = options.requests ?? Number.POSITIVE_INFINITY;
  const statuses: Record<number, number> = {};
  const wrong: string[] = [];
  let latencies = new Float64Array(1 << 16);
  let sent = 0;
  let answered = 0;
  let over = false;

  const note = (latency: number, status: number, request: LoadRequest, body: () => string) => {
    if (answered === latencies.length) {
      const longer = new Float64Array(latencies.length * 2);
      longer.set(latencies);
      latencies = longer;
    }
    latencies[answered++] = latency;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if ((answered % CHECK_EVERY === 1 || status >= 400) && wrong.length < 5) {
      const fault = status < 300 ? request.check(body()) : `${status} ${body()}`;
      if (fault !== undefined) wrong.push(fault);
    }
  };

  const lines = await Promise.all(
    Array.from({ length: options.connections }, () => openLine(Number(port), hostname, note)),
  );
  const began = performance.now();
  const take = () => {
    sent++;
    return options.next();
  };
  if (options.rate === undefined) {
    await Promise.all(
      lines.map(async (line) => {
        while (!over && sent < limit) {
          await line.ask(take(), performance.now());
          if (options.seconds !== undefined && performance.now() - began >= options.seconds * 1000)
            over = true;
        }
      }),
    );
  } else {
    await offer(
      lines,
      options.rate,
      take,
      () => over || sent >= limit || elapsed() >= (options.seconds ?? Number.POSITIVE_INFINITY),
    );
  }
  const seconds = elapsed();
  for (const line of lines) line.close();
  return {
    seconds,
    requests: answered,
    latencies: latencies.subarray(0, answered).sort(),
    statuses,
    wrong,
  };

  function elapsed(): number {
    return (performance.now() - began) / 1000;
  }
}

/**
 * Offers requests at a fixed rate, whatever the answers do; a request without a free connection
 * waits, and its wait counts.
 */
async function offer(
  lines: Line[],
  rate: number,
  take: () => LoadRequest,
  done: () => boolean,
): Promise<void> {
  const free = [...lines];
  const waiting: number[] = [];
  const running = new Set<Promise<void>>();
  const serve = (line: Line) => {
    const due = waiting.shift();
    if (due === undefined) {
      free.push(line);
      return;
    }
    const asked = line.ask(take(), due).then(() => {
      running.delete(asked);
      serve(line);
    });
    running.add(asked);
  };
  const began = performance.now();
  for (let offered = 0; !done(); ) {
    const now = performance.now();
    for (const target = ((now - began) / 1000) * rate; offered < target; offered++)
      waiting.push(now);
    while (waiting.length > 0 && free.length > 0) serve(free.pop() as Line);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  waiting.length = 0;
  await Promise.all(running);
}

interface Line {
  /** Resolves with the answer. `since`: when the request was due. */
  ask(request: LoadRequest, since: number): Promise<void>;
  close(): void;
}

type Note = (latency: number, status: number, request: LoadRequest, body: () => string) => void;

function openLine(port: number, host: string, note: Note): Promise<Line> {
  const endOfHead = Buffer.from('\r\n\r\n');
  const lastChunk = Buffer.from('\r\n0\r\n\r\n');
  let socket: Socket;
  let current:
    | { request: LoadRequest; since: number; resolve: () => void; reject: (error: Error) => void }
    | undefined;
  let buffered: Buffer | undefined;
  let bodyAt = 0;
  let total = 0; // of the answer's bytes; -1: as many as its last chunk says
  let status = 0;

  const onData = (chunk: Buffer) => {
    buffered = buffered === undefined ? chunk : Buffer.concat([buffered, chunk]);
    if (total === 0) {
      const head = buffered.indexOf(endOfHead);
      if (head < 0) return;
      bodyAt = head + endOfHead.length;
      const text = buffered.toString('latin1', 0, head);
      status = Number(text.slice(9, 12));
      const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
      total = length === undefined ? -1 : bodyAt + Number(length);
    }
    const whole =
      total < 0 ? buffered.subarray(-lastChunk.length).equals(lastChunk) : buffered.length >= total;
    if (!whole || current === undefined) return;
    const { request, since, resolve } = current;
    const [answer, from, chunked] = [buffered, bodyAt, total < 0];
    current = undefined;
    buffered = undefined;
    total = 0;
    const body = () =>
      chunked ? joinChunks(answer.subarray(from)) : answer.toString('utf8', from);
    note(performance.now() - since, status, request, body);
    resolve();
  };
  const fail = (error: Error) => {
    current?.reject(error);
    current = undefined;
    socket.destroy();
  };
  return new Promise((resolve, reject) => {
    socket = connect({ port, host, noDelay: true }, () =>
      resolve({
        ask: (request, since) =>
          new Promise((answered, failed) => {
            current = { request, since, resolve: answered, reject: failed };
            socket.write(request.bytes);
          }),
        close: () => socket.destroy(),
      }),
    );
    socket.setTimeout(GIVE_UP_MS, () => fail(new Error('no answer within 15 s')));
    socket.on('data', onData);
    socket.on('error', (error) => {
      fail(error);
      reject(error);
    });
    socket.on('close', () => fail(new Error('the server closed a connection')));
  });
}

function joinChunks(bytes: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at);
    const length = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (!(length > 0)) return Buffer.concat(parts).toString();
    parts.push(bytes.subarray(line + 2, line + 2 + length));
    at = line + 2 + length + 2;
  }
}

/** The value under which this share of the sorted values lies. */
export const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
