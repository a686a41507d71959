import type { HostedRepository } from '../../access/hosted-repository.ts';
import type { Database } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import { openGuardedProxy } from '../../platform/outgoing/guarded-proxy.ts';
import { type OutgoingOptions, openOutgoing } from '../../platform/outgoing/outgoing.ts';
import { CannotOpen, type Sealing } from '../../platform/sealing/sealing.ts';
import { HostError } from '../hosts/host-error.ts';
import type { Remote } from '../repositories/remote.ts';
import { type AskGitea, type GiteaCall, type GiteaServer, giteaApi } from './api.ts';
import { tokenContext } from './sealed-tokens.ts';

/** Whose the token of a connection is. */
export interface GiteaAccount {
  id: number;
  login: string;
}

/** The Gitea and Forgejo servers that workspaces have connected. */
export interface Gitea {
  /** Asks the server of a connection. Throws a HostError. */
  ask: AskGitea;
  /** The server of a connection, with its token. Throws a HostError. */
  server(connectionId: string | null): Promise<GiteaServer>;
  /** Whose that token is; undefined while the server has not said so. */
  account(connectionId: string | null): Promise<GiteaAccount | undefined>;
  /** Asks the same for what is about a repository. */
  at(
    repository: Pick<HostedRepository, 'connectionId'>,
  ): Promise<(call: GiteaCall) => ReturnType<AskGitea>>;
  /** The way of git to such a server: to no other, and to no address that is not permitted. */
  way(url: string): NonNullable<Remote['way']>;
}

/** Which servers may be reached. */
type CodeHostBounds = Pick<OutgoingOptions, 'allowedNetworks' | 'allowHttp' | 'dnsServers'>;

/** Bytes that a server may send to one git, and how long it may be silent, in milliseconds. */
const MOST_BYTES = 4 * 1024 ** 3;
const SILENCE_MS = 60_000;

export function openGitea(db: Database, sealing: Sealing, bounds: CodeHostBounds): Gitea {
  const ask = giteaApi(openOutgoing(bounds));

  async function server(connectionId: string | null): Promise<GiteaServer> {
    const [row] = await db.many<{ id: string; url: string; sealed: Buffer; keyId: string }>(sql`
      select id, url, token as sealed, token_key_id as "keyId"
        from gitea_connection where id = ${connectionId}`);
    if (row === undefined) throw new HostError('gitea_token_refused');
    try {
      return { url: row.url, token: sealing.open(row, tokenContext(row)).toString() };
    } catch (error) {
      if (error instanceof CannotOpen) throw new HostError('gitea_token_refused');
      throw error;
    }
  }

  return {
    ask,
    server,
    account: (connectionId) =>
      db.maybeOne<GiteaAccount>(sql`
        select account_id::float8 as id, account_login as login
          from gitea_connection where id = ${connectionId} and account_id is not null`),
    at: async ({ connectionId }) => {
      const of = await server(connectionId);
      return (call) => ask(of, call);
    },
    way: (url) => async () => {
      const target = new URL(url);
      const { allowedNetworks, dnsServers } = bounds;
      const limits = { maxBytes: MOST_BYTES, silence: SILENCE_MS };
      return openGuardedProxy({ target, allowedNetworks, dnsServers, ...limits });
    },
  };
}
