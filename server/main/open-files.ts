import { readFile } from 'node:fs/promises';

/** Files that a server opens beside its connections: those to the database, public files, logs. */
const OTHER_FILES = 200;

/**
 * How many connections a server may hold open: `wanted`, or as many as the operating system's limit
 * of open files leaves room for. Beyond that limit no connection could be accepted, whoever asks.
 * Systems without `/proc` do not tell their limit.
 */
export async function roomForConnections(
  wanted: number,
  limits: Promise<string> = readFile('/proc/self/limits', 'utf8'),
): Promise<number> {
  const [, files] = /^Max open files +(\d+)/m.exec(await limits.catch(() => '')) ?? [];
  if (files === undefined) return wanted;
  const room = Math.max(Number(files) - OTHER_FILES, Math.floor(Number(files) / 4));
  return Math.min(wanted, room);
}
