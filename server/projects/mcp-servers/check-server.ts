import type { Static } from 'typebox';
import { ValidationError } from '../../http/errors.ts';
import { itemAt } from '../../http/input/error-item.ts';
import {
  kindUnclear,
  planChanges,
  type serverSet,
  turnRepeated,
  urlInvalid,
  urlOpen,
  valueOpen,
} from './mcp-server.ts';

export type ServerBody = Static<typeof serverSet>;

/** What of a server nobody has to be able to read: names of headers, variables and parameters. */
const OF_SECRETS = /auth|cookie|key|passw|secret|token|credential/i;
const REFERENCE = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;

/** Where a server is, in the canonical spelling. */
export interface Address {
  url: string;
  host: string;
  port: number;
}

/** The address of a server, if it has one; throws what is wrong with it. */
export function checkServer({
  url,
  command,
  headers,
  args,
  env,
  turns,
  read_only,
}: ServerBody): Address | undefined {
  if ((url === undefined) === (command === undefined)) throw kindUnclear();
  if (url === undefined ? headers.length > 0 : args.length + env.length > 0) throw kindUnclear();
  if (new Set(turns).size < turns.length) throw turnRepeated();
  if (turns.includes('plan') && !read_only) throw planChanges();
  refuseOpenSecrets('headers', headers);
  refuseOpenSecrets('env', env);
  return url === undefined ? undefined : addressOf(url, headers);
}

function refuseOpenSecrets(field: 'headers' | 'env', values: ServerBody['headers']): void {
  const found = values.findIndex(
    ({ name, value }) => OF_SECRETS.test(name) && !REFERENCE.test(value),
  );
  if (found < 0) return;
  const { type, msg } = valueOpen.item;
  throw new ValidationError([itemAt(type, ['body', field, found, 'value'], msg)]);
}

function addressOf(given: string, headers: ServerBody['headers']): Address {
  const url = URL.parse(given);
  const hidden = [...(url?.searchParams.keys() ?? [])].some((name) => OF_SECRETS.test(name));
  if (url === null || !/^https?:$/.test(url.protocol) || hidden) throw urlInvalid();
  if (url.username !== '' || url.password !== '' || url.hash !== '') throw urlInvalid();
  const encrypted = url.protocol === 'https:';
  if (!encrypted && headers.some(({ value }) => REFERENCE.test(value))) throw urlOpen();
  const port = Number(url.port) || (encrypted ? 443 : 80);
  const { href, hostname } = url;
  if (href.length > 2000 || hostname.length > 255) throw urlInvalid();
  return { url: href, host: hostname.replace(/\.$/, ''), port };
}
