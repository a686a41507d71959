import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A server of a soak: a process of its own, which may be killed. */
export interface Served {
  url: string;
  child: ChildProcess;
}

/** Waits until it answers. `settings` are environment variables. */
export async function startServer(settings: Record<string, string>): Promise<Served> {
  const program = join(import.meta.dirname, '../cli/guildhall.ts');
  const child = spawn(process.execPath, [program, 'serve', '--json', '--no-work'], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      SERVER_SECRET: 'a secret for the soak that is long enough',
      LOG_LEVEL: 'silent',
      RATE_LIMIT_PER_MINUTE: '1000000',
      RATE_LIMIT_ADD_FUNDS_PER_MINUTE: '1000000',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let announced = '';
  for await (const text of child.stdout) {
    announced += text;
    if (announced.includes('\n}')) break;
  }
  return { child, url: JSON.parse(announced).url };
}

export async function kill({ child }: Served): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
