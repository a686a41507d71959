import { hkdfSync } from 'node:crypto';

/** The login that instances are made with. */
export const INSTANCE_LOGIN = 'admin';

/**
 * The password of an instance: derived from the secret of the server, so that it is stored nowhere
 * (HKDF with SHA-256).
 */
export const instancePassword = (serverSecret: string, id: string): string =>
  Buffer.from(hkdfSync('sha256', serverSecret, '', `guildhall erp_instance:${id}`, 24)).toString(
    'base64url',
  );
