import type { WebSocket } from 'ws';
import type { Container } from './container.ts';

/** The exec of the fake of Kubernetes. */

export interface ExecRules {
  /**
   * Pings without a message between them, after which the API server ends a process: for it pings
   * are silence, of which it bears four hours.
   */
  mostPings: number;
  /** Bytes of a message, above which it breaks the connection. */
  mostMessage: number;
  /**
   * Milliseconds for which output is under way. What has not come when its process ends never
   * does, as where a client reads slowly: the status still says that the process has succeeded.
   */
  underWay: number;
  /** A program that no image has. */
  missing?: string;
}

/** What has come over all connections. */
export interface ExecCounts {
  pings: number;
  /** Messages with input, and with output. */
  in: number;
  out: number;
}

/** What the real one has. */
export const EXEC_RULES: ExecRules = {
  mostPings: 480,
  mostMessage: 32 * 1_048_576,
  underWay: 0,
};

/** The first byte of a message: input, output, errors, the status at the end, or a closed one. */
export function exec(
  container: Container,
  command: string[],
  socket: WebSocket,
  { rules, counts }: { rules: ExecRules; counts: ExecCounts },
): void {
  const pass = (channel: number) => (content: Buffer) => {
    counts.out += 1;
    socket.send(Buffer.concat([Buffer.of(channel), content]));
  };
  const end = (status: object) => {
    pass(3)(Buffer.from(JSON.stringify(status)));
    socket.close(1000);
  };
  if (command[0] === rules.missing) {
    end(notStarted(command));
    return;
  }
  const child = container.exec(command);
  let pings = 0;
  let ended = false;
  const late = (channel: number) => (content: Buffer) => {
    const arrive = () => {
      if (!ended) pass(channel)(content);
    };
    if (rules.underWay > 0) setTimeout(arrive, rules.underWay);
    else pass(channel)(content);
  };
  child.stdout?.on('data', late(1));
  child.stderr?.on('data', late(2));
  child.on('exit', () => {
    ended = true;
  });
  child.stdin?.on('error', () => undefined);
  socket.on('ping', () => {
    pings += 1;
    counts.pings += 1;
    if (pings > rules.mostPings) socket.terminate();
  });
  socket.on('message', (message: Buffer) => {
    pings = 0;
    counts.in += 1;
    if (message.length > rules.mostMessage) return socket.terminate();
    if (message[0] === 0) child.stdin?.write(message.subarray(1));
    // Of version 5: the client closes the input.
    if (message[0] === 255 && message[1] === 0) child.stdin?.end();
  });
  // A client that goes away closes the input, and ends nothing.
  socket.on('close', () => child.stdin?.end());
  child.on('close', (code) => {
    const causes = [{ reason: 'ExitCode', message: String(code ?? 137) }];
    const failure = { status: 'Failure', reason: 'NonZeroExitCode', details: { causes } };
    end(code === 0 ? { status: 'Success' } : failure);
  });
}

/** A program that is not there is no exit code. */
const notStarted = ([program]: string[]) =>
  failure(
    'error executing command in container: failed to exec in container: failed to start exec: OCI ' +
      'runtime exec failed: exec failed: unable to start container process: exec: ' +
      `"${program}": executable file not found in $PATH: unknown`,
  );

const failure = (message: string) => ({
  status: 'Failure',
  reason: 'InternalError',
  message: `Internal error occurred: ${message}`,
  code: 500,
});

/** The connection is open before it is known that the container has ended. */
export function execInNothing(container: string, socket: WebSocket): void {
  const words = `unable to upgrade connection: container not found ("${container}")`;
  socket.send(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify(failure(words)))]));
  socket.close(1000);
}
