import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../server/platform/config/config.ts';

/**
 * The address of the server, for links of commands beside it. A server with the embedded database
 * leaves it in DATA_DIR: whoever runs a command there has not always given it the server's PUBLIC_URL
 * or PORT.
 */

const fileIn = (dataDir: string): string => join(dataDir, 'public-url');

/** Leaves the address of a server that runs on the embedded database. */
export const leaveAddress = (dataDir: string, url: string): Promise<void> =>
  writeFile(fileIn(dataDir), `${url}\n`);

/** PUBLIC_URL, or else what the server last left, or else what HOST and PORT say. */
export async function addressOf({
  publicUrl,
  publicUrlGiven,
  databaseUrl,
  dataDir,
}: Pick<Config, 'publicUrl' | 'publicUrlGiven' | 'databaseUrl' | 'dataDir'>): Promise<string> {
  if (publicUrlGiven || databaseUrl !== undefined) return publicUrl;
  const left = await readFile(fileIn(dataDir), 'utf8').catch(() => '');
  return URL.canParse(left.trim()) ? left.trim() : publicUrl;
}
