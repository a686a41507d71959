import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Program, runProgram } from '../server/platform/launcher/launcher.ts';
import type { Setting } from './setting.ts';

const STARTS = 40;
const MEGABYTES = [0, 100, 300, 600];

const PROGRAM: Program = {
  file: 'true',
  args: [],
  cwd: '/',
  env: { PATH: '/usr/bin:/bin' },
  input: Buffer.alloc(0),
  timeout: 60_000,
  maxBuffer: 1_000,
};

/** What the start of a program costs a process of some size: by itself, and through the small one. */
export async function programs({ say }: Setting): Promise<void> {
  const ways = {
    execFile: () => promisify(execFile)(PROGRAM.file, PROGRAM.args),
    launcher: () => runProgram(PROGRAM),
  };
  const held: Buffer[] = [];
  await ways.launcher();
  for (const size of MEGABYTES) {
    while (held.length < size) held.push(Buffer.alloc(1_000_000, 1));
    const resident = Math.round(process.memoryUsage().rss / 1_000_000);
    for (const [way, start] of Object.entries(ways)) {
      const blocked: number[] = [];
      const before = process.cpuUsage();
      for (let i = 0; i < STARTS; i++) {
        const began = performance.now();
        const ended = start();
        blocked.push(performance.now() - began);
        await ended;
      }
      const { user, system } = process.cpuUsage(before);
      const median = blocked.sort((a, b) => a - b)[STARTS / 2] ?? 0;
      const cpu = (user + system) / STARTS / 1_000;
      const figures = `${median.toFixed(2)} ms without a turn of the event loop, ${cpu.toFixed(2)} ms of its processor time`;
      say(`${resident} MB, ${way}: ${figures} for each start`);
    }
  }
}
