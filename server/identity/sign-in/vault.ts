import { createHmac, hkdfSync } from 'node:crypto';
import { openSealing, type Sealing, type ServerSecrets } from '../../platform/sealing/sealing.ts';

/** Keeps secrets that the server must be able to read, and hashes those that are short. */
export interface Vault extends Sealing {
  /** A hash that cannot be searched without the server's secret: for codes of few bits. */
  digest(code: string): Buffer;
  /** The hashes that the code may have, that of `digest` and those of earlier secrets. */
  digests(code: string): Buffer[];
}

export function openVault(secrets: ServerSecrets): Vault {
  const { current, previous } = secrets;
  const hashes = [current, ...(previous === undefined ? [] : [previous])].map(digestBy);
  const [digest] = hashes as [(typeof hashes)[0]];
  return {
    ...openSealing(secrets, 'factors'),
    digest,
    digests: (code) => hashes.map((hash) => hash(code)),
  };
}

function digestBy(serverSecret: string): (code: string) => Buffer {
  const key = Buffer.from(hkdfSync('sha256', serverSecret, '', 'guildhall recovery codes', 32));
  return (code) => createHmac('sha256', key).update(code).digest();
}
