import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { mailOptions } from './compose.ts';
import { DeliveryError, type Transport } from './mail.ts';

/**
 * Stores each message as a file `<time>-<id>.eml`, which mail programs open, in a folder that only
 * this user may read: the links in it work. The log says where.
 */
export function fileTransport(folder: string, log: Pick<Logger, 'info'>): Transport {
  return {
    send: async (message) => {
      const { createTransport } = await import('nodemailer');
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
      const { message: bytes } = await composer.sendMail(mailOptions(message));
      const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
      const file = join(folder, `${time}-${message.id}.eml`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        // Renamed into place, so that a file of this name is always complete.
        await writeFile(`${file}.part`, bytes as Buffer, { mode: 0o600 });
        await rename(`${file}.part`, file);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        throw new DeliveryError(
          `SMTP_URL is not set, and ${folder} cannot be written (${code}): set SMTP_URL.`,
          { permanent: false, concerns: 'server' },
        );
      }
      log.info({ mail: message.id, file }, 'mail stored as a file, because SMTP_URL is not set');
    },
    close: () => {},
  };
}
