import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { hiding } from '../../telemetry/hide-secrets.ts';

/** Bytes that are shown, and some before them, so that a secret is whole in them or not there. */
const SHOWN = 64 * 1024;
const READ = SHOWN + 4_096;

/** The end of what `boundedLog` has written at a path; empty for none. */
export async function readLog(path: string, secret: string): Promise<string> {
  const { text, begins } = await end(path, READ);
  const before = begins ? (await end(`${path}.old`, READ - text.length)).text : '';
  return (
    hiding([secret])(before + text)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed.
      .replaceAll(/\u001b\[[\d;]*m|[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
      .slice(-SHOWN)
      .toWellFormed()
  );
}

async function end(path: string, most: number): Promise<{ text: string; begins: boolean }> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
  if (file === undefined) return { text: '', begins: true };
  try {
    const { size } = await file.stat();
    const at = Math.max(0, size - most);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(most), 0, most, at);
    return { text: buffer.toString('utf8', 0, bytesRead), begins: at === 0 };
  } finally {
    await file.close();
  }
}
