import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerError } from 'smtp-server';
import { type Certificate, LOCALHOST } from './certificates.ts';

/** A message that the server has received completely; it has not always accepted it. */
interface Received {
  recipient: string;
  /** Headers and body as they came, with line feeds alone. */
  raw: string;
  messageId: string;
  /** Whether the connection was encrypted, and as whom the client logged in. */
  secure: boolean;
  user: string | undefined;
}

/** What a server does instead of accepting; undefined for what it does normally. */
interface Behaviour {
  /** Never greets. */
  silentGreeting?: boolean;
  /** Answers MAIL FROM with this. */
  toSender?: string;
  /** Answers RCPT TO with this, such as `550 5.1.1 No such user`. */
  toRecipient?: string;
  /** Answers the end of the message with this. */
  toMessage?: string;
  /** Receives the message and never answers. */
  silentAfterData?: boolean;
  /** Cuts the connection when the message begins. */
  dropsMessage?: boolean;
  /** Called with each message before it is accepted. */
  beforeAccepting?: (message: Received) => Promise<void> | void;
}

export interface MailServer {
  port: number;
  /** What was received, whatever the server answered. */
  received: Received[];
  /** Connections so far. */
  connections(): number;
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export interface MailServerOptions extends Behaviour {
  /** `starttls` is offered unless it says otherwise. */
  encryption?: 'tls' | 'starttls' | 'none';
  certificate?: Certificate;
  /** The login that it requires; without it, everyone may send. */
  login?: { user: string; password: string };
}

/** A real mail server on a free port of 127.0.0.1, which keeps what it receives. */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { encryption = 'starttls', certificate = LOCALHOST, login } = options;
  let behaviour: Behaviour = options;
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = new SMTPServer({
    ...certificate,
    secure: encryption === 'tls',
    disabledCommands: [
      ...(encryption === 'starttls' ? [] : ['STARTTLS']),
      ...(login === undefined ? ['AUTH'] : []),
    ],
    authOptional: login === undefined,
    disableReverseLookup: true,
    logger: false,
    onConnect: (_session, done) => {
      if (!behaviour.silentGreeting) done();
    },
    onAuth: ({ username, password }, _session, done) => {
      if (username === login?.user && password === login?.password) done(null, { user: username });
      else done(answer('535 5.7.8 Wrong user or password'));
    },
    onMailFrom: (_address, _session, done) => done(answer(behaviour.toSender)),
    onRcptTo: (_address, _session, done) => done(answer(behaviour.toRecipient)),
    onData: async (stream, session, done) => {
      if (behaviour.dropsMessage) {
        stream.on('error', () => {}).resume();
        for (const socket of sockets) socket.destroy();
        return;
      }
      const whole = await text(stream).catch(() => undefined);
      if (whole === undefined) return; // The client died in its message.
      const raw = whole.replaceAll('\r\n', '\n');
      const message: Received = {
        recipient: session.envelope.rcptTo.map(({ address }) => address).join(),
        raw,
        messageId: /^Message-ID: (.*)$/im.exec(raw)?.[1] ?? '',
        secure: session.secure,
        user: session.user,
      };
      received.push(message);
      if (behaviour.silentAfterData) return;
      await behaviour.beforeAccepting?.(message);
      done(answer(behaviour.toMessage));
    },
  });
  server.on('error', () => {}); // a client that went away
  server.server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    connections: () => connections,
    behave: (next) => {
      behaviour = next;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

/** `550 5.1.1 No such user` as an error of the server; null for none. */
function answer(line: string | undefined): SMTPServerError | null {
  const [, code, said] = /^(\d{3}) (.*)$/.exec(line ?? '') ?? [];
  return code === undefined ? null : Object.assign(new Error(said), { responseCode: Number(code) });
}
