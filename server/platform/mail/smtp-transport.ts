import { Transform } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import type { NodemailerError } from 'nodemailer';
import { hiding } from '../../telemetry/hide-secrets.ts';
import { mailOptions } from './compose.ts';
import { DeliveryError, type Message, type Transport } from './mail.ts';

/** The mail server to hand messages to; server/platform/config/mail.ts says what the fields mean. */
export interface SmtpOptions {
  host: string;
  port: number;
  encryption: 'tls' | 'starttls' | 'none';
  login: { user: string; password: string } | undefined;
  /** How many messages may be on their way at once. */
  connections: number;
  /** Replaced by tests: authorities to trust, and how long to wait, in milliseconds. */
  ca?: ConnectionOptions['ca'];
  timeouts?: Timeouts;
}

interface Timeouts {
  connection: number;
  greeting: number;
  /** Within which each answer has to come, and that to the message. */
  silence: number;
  /** Within which the message has to be handed over, before its answer. */
  handing?: number;
}

/**
 * A server may scan a message before it answers, and one that is handed the message again meanwhile
 * delivers it twice: it has 10 minutes (RFC 5321 §4.5.3.2.6). Until then it is not so slow.
 */
const TIMEOUTS = {
  connection: 10_000,
  greeting: 10_000,
  silence: 10 * 60_000,
  handing: 60_000,
};
/** A connection is reused within a burst of mail and not kept for the next one. */
const KEEP_IDLE_MS = 5_000;
const MAX_ANSWER = 400;

/**
 * Hands messages to a mail server (SMTP). Certificates are verified. Without `encryption: 'none'`,
 * neither a message nor the login is sent before the connection is encrypted.
 */
export async function smtpTransport(options: SmtpOptions): Promise<Transport> {
  const { host, port, encryption, login, ca } = options;
  const timeouts: Timeouts = options.timeouts ?? TIMEOUTS;
  const { connection, greeting, silence, handing = TIMEOUTS.handing } = timeouts;
  const { createTransport } = await import('nodemailer');
  const mailer = createTransport({
    pool: true,
    host,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    ...(login === undefined ? {} : { auth: { user: login.user, pass: login.password } }),
    tls: ca === undefined ? {} : { ca },
    maxConnections: options.connections,
    // The table repeats attempts, and counts them.
    maxRequeues: 0,
    connectionTimeout: connection,
    greetingTimeout: greeting,
    socketTimeout: silence,
    idleTimeout: KEEP_IDLE_MS,
  });
  // A connection that fails while idle concerns no message.
  mailer.on('error', () => {});
  /** What to do once a message has been handed over, by its Message-ID. */
  const onHanded = new Map<string | undefined, () => void>();
  mailer.use('stream', ({ data, message }, next) => {
    const { messageId } = data;
    message.transform(
      () =>
        new Transform({
          transform: (piece, _encoding, done) => done(null, piece),
          flush: (done) => {
            onHanded.get(messageId)?.();
            done();
          },
        }),
    );
    next();
  });
  return {
    send: async (message, signal) => {
      const options = mailOptions(message);
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), handing);
      onHanded.set(options.messageId, () => clearTimeout(timer));
      try {
        await mailer.sendMail({ ...options, signal: AbortSignal.any([signal, late.signal]) });
      } catch (error) {
        throw deliveryError(error as NodemailerError, withoutSecretsOf(message, login));
      } finally {
        clearTimeout(timer);
        onHanded.delete(options.messageId);
      }
    },
    close: () => mailer.transporter.close?.({ force: true }),
  };
}

/**
 * Only an answer about the recipient or about the message itself ends its attempts. What a server
 * says about its login or its sender an operator can correct, and then the same mail is accepted.
 * Many servers say only at the recipient that they relay for nobody without a login (5.7.1).
 */
function deliveryError(error: NodemailerError, clean: (text: string) => string): DeliveryError {
  const { responseCode, command, code } = error;
  const aboutMessage =
    responseCode !== undefined &&
    (command === 'RCPT TO' || command === 'DATA') &&
    responseCode !== 421;
  // It may be about this recipient alone, so others do not wait for it.
  const correctable = command === 'RCPT TO' && mayNotRelay(error.response);
  const answer = clean(error.response ? `${command}: ${error.response}` : sentenceOf(error));
  return new DeliveryError(answer, {
    permanent:
      (aboutMessage && !correctable && error.permanent === true) || isUnsendable(code, command),
    concerns: aboutMessage ? 'message' : 'server',
  });
}

/** The code of RFC 3463 for a sender who is not authorized, and the words of servers without such codes. */
const mayNotRelay = (response = ''): boolean =>
  /^55\d[ -]5\.7\.\d+\b|\brelay(ing)?\b.*\b(access|denied|permitted|allowed|prohibited)\b/i.test(
    response,
  );

/** An address that cannot be written in SMTP. */
const isUnsendable = (code: string | undefined, command: string | undefined): boolean =>
  code === 'EENVELOPE' && command === 'API';

function sentenceOf({ message, code, command }: NodemailerError): string {
  if (code === 'EABORT') return 'The server did not take the message in time.';
  if (code === 'ETIMEDOUT') return `The server did not answer in time (${command}: ${message}).`;
  return message;
}

/**
 * A server may quote what it received: the login of a command it did not understand, or a link that
 * it took for spam. Neither is stored.
 */
function withoutSecretsOf(
  { text }: Message,
  login: SmtpOptions['login'],
): (answer: string) => string {
  const tokens = [...text.matchAll(/[?&]\w+=([^&\s]{16,})/g)].map(([, value]) => value as string);
  const ofLogin = login === undefined ? [] : [login.password, `\0${login.user}\0${login.password}`];
  const base64 = ofLogin.map((value) => Buffer.from(value).toString('base64').replace(/=+$/, ''));
  const hide = hiding([...ofLogin, ...base64, ...tokens]);
  return (answer) =>
    hide(answer)
      .replaceAll(/\p{C}+/gu, ' ')
      .trim()
      .slice(0, MAX_ANSWER);
}
