import { mintKey } from '../../identity/keys/key.ts';
import type { Attack } from './hostile.ts';

/** The objects that announced bodies are about. */
export interface Targets {
  workspace: string;
  team: string;
  task: string;
}

const READ = 'GET /api/billing/balance';
const HEADERS = 'host: x\r\n';
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\n${HEADERS}${headers}\r\n`;
/** A large file, and a document that is written in one piece. */
const LARGE = ['/docs/static/swagger-ui-bundle.js', '/openapi.json'];

/** Every kind of attack, by name: what a stranger without a key can do with sockets. */
export function attacks({ workspace, team, task }: Targets): Record<string, Attack> {
  const approve = `POST /api/tasks/${task}/plan/approve`;
  const withoutBody = [approve, `DELETE /api/organizations/${workspace}`];
  const withBody = [
    `PUT /api/organizations/${workspace}/teams/${team}`,
    'POST /api/billing/add-funds',
  ];
  const webhook = 'POST /webhooks/stripe';
  const signed = `stripe-signature: t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}\r\n`;
  const announce = (line: string, headers = '') =>
    `${line} HTTP/1.1\r\n${HEADERS}content-type: application/json\r\n${headers}content-length: 100\r\n\r\n`;
  // Right in form and in its checksum, so that only the database can tell that it is not a key.
  const invented = () => `authorization: Bearer ${mintKey()}\r\n`;
  const unread = [
    ...withoutBody.map((line) => announce(line, invented())),
    announce(webhook, signed),
  ];
  const others = [
    ...withBody.map((line) => announce(line, invented())),
    ...[...withoutBody, ...withBody, webhook, READ].map((line) => announce(line)),
  ];
  return {
    'nothing after connecting': { openings: [''] },
    'half a header': {
      openings: [`${READ} HTTP/1.1\r\n${HEADERS}`, 'P', `${approve} HTTP/1.1\r\n`],
    },
    'bodies that never come and that no operation reads': { openings: unread },
    'other bodies that never come': { openings: others },
    'headers byte by byte': { openings: ['GET /x HTTP/1.1\r\n'], drip: 'a: b\r\n' },
    'bodies byte by byte': {
      openings: [...unread, ...others].map((each) => `${each}{`),
      drip: ' ',
    },
    'large files that are not read': {
      openings: LARGE.map((path) => get(path).repeat(2)),
      deaf: true,
    },
    'many requests in a row, answers not read': {
      openings: [
        get('/openapi.json').repeat(100),
        get('/api/billing/balance').repeat(100),
        get('/api/billing/balance', invented()).repeat(20),
        LARGE.map((path) => get(path))
          .join('')
          .repeat(50),
      ],
      deaf: true,
    },
  };
}
