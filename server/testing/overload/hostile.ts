import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** How a hostile socket behaves. None of them ever closes its side of the connection. */
export interface Attack {
  /** What a socket writes when it is connected; sockets take these in turn. */
  openings: string[];
  /** What it writes after that, one byte at a time. */
  drip?: string;
  /** Reads nothing of what it is sent. */
  deaf?: boolean;
}

/**
 * Hostile sockets in a process of their own, so that they cost the callers who are measured
 * nothing.
 */
interface Hostile {
  /** Opens `count` sockets, and each of them again when the server has cut it, until `stop`. */
  attack(port: number, attack: Attack, count: number): void;
  /** Opens no more sockets; those that are open stay as they are. */
  stop(): void;
  /** Ends the process and all its sockets. */
  end(): Promise<void>;
}

type Message = { port: number; attack: Attack; count: number } | 'stop';

export function startHostile(): Hostile {
  const child: ChildProcess = fork(import.meta.filename);
  const send = (message: Message) => child.send(message);
  return {
    attack: (port, attack, count) => send({ port, attack, count }),
    stop: () => send('stop'),
    end: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

const AT_ONCE = 50;
const BETWEEN_MS = 20;
const DRIP_EVERY_MS = 500;
const AGAIN_AFTER_MS = 2_000;

/** Counts waves: a socket of a wave that is over is not opened again. */
let wave = 0;

async function run({ port, attack, count }: Exclude<Message, string>): Promise<void> {
  wave++;
  const own = wave;
  for (let i = 0; i < count; i++) {
    open(port, attack, i, own);
    if (i % AT_ONCE === AT_ONCE - 1) await pause(BETWEEN_MS);
  }
}

function open(port: number, attack: Attack, index: number, own: number): void {
  if (own !== wave) return;
  const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
    const opening = attack.openings[index % attack.openings.length] as string;
    if (opening !== '') socket.write(opening, 'latin1');
  });
  if (attack.deaf) socket.pause();
  else socket.resume();
  let sent = 0;
  const { drip } = attack;
  const dripping =
    drip === undefined
      ? undefined
      : setInterval(() => socket.write(drip[sent++ % drip.length] as string), DRIP_EVERY_MS);
  socket.on('error', () => {});
  socket.on('close', () => {
    clearInterval(dripping);
    setTimeout(open, AGAIN_AFTER_MS, port, attack, index, own);
  });
}

if (import.meta.main) {
  process.on('message', (message: Message) => {
    if (message === 'stop') wave++;
    else run(message);
  });
  // Its sockets would keep it alive without the process that started it.
  process.once('disconnect', () => process.exit());
}
