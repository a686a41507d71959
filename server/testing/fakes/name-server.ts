import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { after } from 'node:test';

/**
 * A DNS server on loopback (RFC 1035) that answers A and AAAA as a test says. `answer` returns the
 * IPv4 addresses of a name, or undefined for a query that is never answered; there is no IPv6.
 */
export async function startNameServer(
  answer: (name: string) => readonly string[] | undefined,
): Promise<{ address: string; asked: string[] }> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const { name, end } = nameIn(query);
    const ipv4 = query.readUInt16BE(end) === TYPE_A;
    if (ipv4) asked.push(name);
    const addresses = answer(name);
    if (addresses !== undefined)
      socket.send(replyTo(query.subarray(0, end + 4), ipv4 ? addresses : []), from.port);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  after(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

const TYPE_A = 1;
const HEADER_BYTES = 12;

function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

/** Each record points at the question's name and is valid for no time at all. */
function replyTo(question: Buffer, addresses: readonly string[]): Buffer {
  const header = Buffer.from(question.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.fill(0, 8, HEADER_BYTES);
  const records = addresses.map((address) =>
    Buffer.from([
      0xc0,
      HEADER_BYTES,
      0,
      TYPE_A,
      0,
      1,
      0,
      0,
      0,
      0,
      0,
      4,
      ...address.split('.').map(Number),
    ]),
  );
  return Buffer.concat([header, question.subarray(HEADER_BYTES), ...records]);
}
