import { isIP } from 'node:net';
import { readEmail } from '../../http/input/readers/email.ts';
import { isLoopback } from './loopback.ts';
import type { Reader } from './readers.ts';

/** The mail server that SMTP_URL names. */
interface SmtpServer {
  host: string;
  port: number;
  /**
   * `tls`: from the first byte on. `starttls`: the connection is upgraded before anything is said,
   * or not used. `none`: never encrypted.
   */
  encryption: 'tls' | 'starttls' | 'none';
  login: { user: string; password: string } | undefined;
}

/** An address with a name for people; the name may be empty. */
interface Mailbox {
  name: string;
  address: string;
}

export const smtpServer: Reader<SmtpServer> = {
  parse: parseSmtpServer,
  mustBe:
    'an address such as smtp://user:password@mail.example.com:587, or smtps:// for TLS from the ' +
    'first byte; user and password percent-encoded; no parameter except tls=required or tls=off',
  secret: true,
};

export const mailbox: Reader<Mailbox> = {
  parse: parseMailbox,
  mustBe: 'an e-mail address, or a name and an address such as Guildhall <no-reply@example.com>',
};

function parseSmtpServer(text: string): SmtpServer | undefined {
  const url = URL.parse(text);
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol)) return undefined;
  if (!['', '/'].includes(url.pathname) || url.hash !== '') return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (isIP(host) === 0 && !/^[a-z\d]([a-z\d.-]*[a-z\d])?$/.test(host)) return undefined;
  const login = loginOf(url);
  const encryption = encryptionOf(url, host);
  if (login === 'invalid' || encryption === undefined || url.port === '0') return undefined;
  const port = Number(url.port || (url.protocol === 'smtps:' ? 465 : 587));
  return { host, port, encryption, login };
}

function loginOf(url: URL): SmtpServer['login'] | 'invalid' {
  if (url.username === '' && url.password === '') return undefined;
  try {
    const [user, password] = [url.username, url.password].map(decodeURIComponent) as [
      string,
      string,
    ];
    const usable = [user, password].every((part) => part !== '' && !/\p{Cc}/u.test(part));
    return usable ? { user, password } : 'invalid';
  } catch {
    return 'invalid'; // a percent sign that encodes nothing
  }
}

// What is sent to this very machine passes no network, and mail servers there rarely have a
// certificate for its name.
function encryptionOf(url: URL, host: string): SmtpServer['encryption'] | undefined {
  const [[name, value] = ['tls', undefined], ...more] = [...url.searchParams];
  if (name !== 'tls' || more.length > 0) return undefined;
  if (value !== undefined && value !== 'required' && value !== 'off') return undefined;
  if (url.protocol === 'smtps:') return value === 'off' ? undefined : 'tls';
  const isHere = isLoopback(host) || host.endsWith('.localhost');
  return (value ?? (isHere ? 'off' : 'required')) === 'off' ? 'none' : 'starttls';
}

function parseMailbox(text: string): Mailbox | undefined {
  const [, name = '', inBrackets, alone] =
    /^\s*(?:"?([^"<>]*?)"?\s*<([^<>]+)>|([^<>]+))\s*$/.exec(text) ?? [];
  const address = addressOf(inBrackets ?? alone ?? '');
  if (address === undefined || name.length > 100 || /\p{C}/u.test(name)) return undefined;
  return { name, address };
}

function addressOf(text: string): string | undefined {
  const read = readEmail(text);
  return 'value' in read ? (read.value as string) : undefined;
}

/** The sender while MAIL_FROM is not set: in the domain of the public address, if it has one. */
export function defaultSender(publicUrl: string): Mailbox {
  const address = addressOf(`no-reply@${URL.parse(publicUrl)?.hostname ?? ''}`);
  return { name: 'Guildhall', address: address ?? 'no-reply@localhost' };
}
