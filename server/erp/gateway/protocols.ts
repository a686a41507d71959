import { jsonRpc } from './json-rpc.ts';
import { json2 } from './json2.ts';
import type { Protocol } from './protocol.ts';
import { xmlRpc } from './xml-rpc.ts';

/** The protocol of a path below a target; undefined if there is none. */
export function protocolOf(path: string): Protocol | undefined {
  if (/^\/json\/2\/[^/]+\/[^/]+$/.test(path)) return json2;
  if (/^\/xmlrpc\/2\/[a-z]+$/.test(path)) return xmlRpc;
  return path === '/jsonrpc' ? jsonRpc : undefined;
}
