import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, versionOf } from '../processes/programs.ts';

/** A real Valkey or Redis without persistence. */
export interface Redis {
  url: string;
  name: string;
  start(): Promise<void>;
  /** kill -9: its counters are gone. */
  kill(): Promise<void>;
}

const PROGRAMS = ['valkey-server', 'redis-server'];

/** Not started yet; undefined if neither is installed. */
export async function findRedis(): Promise<Redis | undefined> {
  for (const program of PROGRAMS) {
    const version = await versionOf(program, ['--version']);
    if (version !== undefined) return redis(program, version, await freePort());
  }
  return undefined;
}

function redis(program: string, version: string, port: number): Redis {
  let child: ReturnType<typeof spawn> | undefined;
  return {
    url: `redis://127.0.0.1:${port}`,
    name: version.replace(/ (sha|malloc)=.*/, ''),
    start: async () => {
      const options = [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
      ];
      child = spawn(program, options, { stdio: 'ignore' });
      for (let i = 0; !(await answers(port)); i++) {
        if (i > 200 || child.exitCode !== null) throw new Error(`${program} did not start`);
        await pause(20);
      }
    },
    kill: async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('error', () => resolve(false));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(String(data).startsWith('+PONG'));
    });
  });
}
