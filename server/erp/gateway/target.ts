import type { Outgoing } from '../../platform/outgoing/outgoing.ts';
import type { InstanceCommand } from '../instances/instance-driver.ts';

/** An Odoo that the agent of a turn may use. */
export interface ErpTarget {
  /** Of the connection or instance: a UUID. */
  id: string;
  name: string;
  kind: 'connection' | 'instance';
  /** Its origin. */
  url: string;
  database: string | undefined;
  login: string | undefined;
  secret: string;
  credential: 'api_key' | 'password';
  erpVersion: string | undefined;
  access: 'read' | 'write';
  /** What agents see although they see it nowhere else; undefined where nothing is hidden. */
  exceptions?: readonly string[] | undefined;
  /** The guarded agent for connections; a plain one for instances of the operator's own drivers. */
  send: Outgoing['send'];
  /** Runs a command in it; only instances have any. Undefined where it has none of this kind. */
  run?: RunCommand | undefined;
  /**
   * What it is now, asked before each call; undefined once the agent may not use it any more.
   * Without it, the target stays what it was as the turn began.
   */
  current?(): Promise<ErpTarget | undefined>;
}

/** What an agent may have run beside calls of Odoo's API. */
export type ErpCommand = InstanceCommand | { what: 'test'; modules: string[] };

export type RunCommand = (
  command: ErpCommand,
  signal: AbortSignal,
) => Promise<{ code: number | null; log: string } | undefined>;

/** A call that an agent has made, without its data. */
export interface ErpCall {
  target: { id: string; name: string };
  kind: ErpTarget['kind'];
  model?: string;
  method?: string;
  /** Whether it was passed on to the server. */
  allowed: boolean;
  /** As the server answered, or as the gateway refused it. */
  status: number;
  ms: number;
}

const JSON_2 = 19;
const major = ({ erpVersion }: ErpTarget): number =>
  Number(/(\d+)\.\d/.exec(erpVersion ?? '')?.[1] ?? 0);

/** How the target can be spoken to, the best way first. */
function protocolsOf(target: ErpTarget): string[] {
  const version = major(target);
  const json2 = target.credential === 'api_key' && (version >= JSON_2 || version === 0);
  return [
    ...(json2 ? ['json2'] : []),
    ...(target.login === undefined ? [] : ['xmlrpc', 'jsonrpc']),
  ];
}

/** What the agent learns of its targets: the value of GUILDHALL_ERP, with the address to fill in. */
export const described = (targets: readonly ErpTarget[], address: string): string =>
  JSON.stringify(
    targets.map((target) => ({
      id: target.id,
      name: target.name,
      kind: target.kind,
      url: `${address}/${target.id}`,
      database: target.database,
      login: target.login,
      access: target.access,
      erp_version: target.erpVersion,
      protocols: protocolsOf(target),
      ...(target.run && { commands: ['shell', 'update', 'test'] }),
    })),
  );
