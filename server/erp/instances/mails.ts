import { constants } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstanceMail } from './instance-driver.ts';

/** Mails that an instance wanted to send: each a file with JSON, which its program has written. */

/** Of one mail, in bytes; of one look. */
const MOST_BYTES = 256 * 1024;
export const MOST_MAILS = 100;

const FILE = /^[\w-]{1,100}\.json$/;

/** Reads and removes what is there, the oldest first. What is no mail is removed, too. */
export async function takeMails(folder: string): Promise<InstanceMail[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => FILE.test(name));
  const mails: InstanceMail[] = [];
  for (const name of names.toSorted()) {
    const mail = await read(join(folder, name)).catch(() => undefined);
    await rm(join(folder, name), { force: true });
    if (mail !== undefined) mails.push(mail);
  }
  return mails.slice(-MOST_MAILS);
}

async function read(path: string): Promise<InstanceMail | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
    return mailOf(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await file.close();
  }
}

/** A mail of a text that a catcher has written; undefined for anything else. */
export function mailOf(text: string): InstanceMail | undefined {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof said !== 'object' || said === null) return undefined;
  const { sender, recipients, subject, text: body } = said as Record<string, unknown>;
  return {
    sender: cut(sender, 500),
    recipients: (Array.isArray(recipients) ? recipients : [])
      .slice(0, 50)
      .map((one) => cut(one, 500)),
    subject: cut(subject, 1_000),
    text: cut(body, 16_000),
  };
}

const cut = (value: unknown, most: number): string =>
  (typeof value === 'string' ? value : '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed.
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')
    .slice(0, most)
    .toWellFormed();
