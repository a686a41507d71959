import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { MOST_MAILS, mailOf } from '../../server/erp/instances/mails.ts';

/** Bytes of a line: a mail of 16,000 characters, each escaped. */
const MOST_LINE = 256 * 1024;

/**
 * Writes each line that the catcher says into a folder, as a file. What says them is in the sandbox, so
 * it may say anything: what is no mail, is too long, or comes before earlier ones were taken is left out.
 */
export async function keepMails(said: Readable, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let line = '';
  let tooLong = false;
  let count = 0;
  for await (const chunk of said.setEncoding('utf8')) {
    const [first = '', ...rest] = String(chunk).split('\n');
    const add = (text: string) => {
      tooLong ||= line.length + text.length > MOST_LINE;
      line = tooLong ? '' : line + text;
    };
    add(first);
    for (const next of rest) {
      const mail = tooLong ? undefined : mailOf(line);
      line = '';
      tooLong = false;
      add(next);
      if (mail === undefined || (await readdir(folder)).length >= MOST_MAILS) continue;
      count += 1;
      const name = `${Date.now()}-${String(count).padStart(9, '0')}-${randomUUID()}`;
      const file = join(folder, `${name}.json`);
      await writeFile(`${file}.new`, JSON.stringify(mail));
      await rename(`${file}.new`, file);
    }
  }
}
