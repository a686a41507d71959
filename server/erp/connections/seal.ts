import type { OfConnection } from '../../access/odoo-connection.ts';
import { apiError } from '../../http/errors.ts';
import { CannotOpen, type Sealed, type Sealing } from '../../platform/sealing/sealing.ts';
import { contextOf } from '../sealed-secrets.ts';

/** The secrets of connections, each bound to its row, its project and the origin of its address. */

type Bound = Pick<OfConnection, 'connection_id' | 'project_id' | 'url'>;

export const sealFor = (sealing: Sealing, connection: Bound, secret: string): Sealed =>
  sealing.seal(Buffer.from(secret), contextOf(connection));

export const secretUnreadable = apiError(
  409,
  'odoo_secret_unreadable',
  'The secret of this connection cannot be opened by this server: store it again, or ask the ' +
    'operator whether SERVER_SECRET was replaced',
);

/** The secret of a connection, if it has one. Errors: 409 odoo_secret_unreadable. */
export function openSecret(
  sealing: Sealing,
  connection: Bound & Pick<OfConnection, 'secret' | 'secret_key_id'>,
): string | undefined {
  const { secret: sealed, secret_key_id: keyId } = connection;
  if (sealed === null) return undefined;
  try {
    return sealing.open({ sealed, keyId }, contextOf(connection)).toString();
  } catch (error) {
    if (error instanceof CannotOpen) throw secretUnreadable();
    throw error;
  }
}
