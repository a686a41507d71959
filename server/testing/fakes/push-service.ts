import assert from 'node:assert/strict';
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startPeer } from '../clients/peer.ts';

/** What a browser showed. */
interface Shown {
  title: string;
  body: string;
  url: string;
  tag: string;
  headers: IncomingHttpHeaders;
}

/**
 * A push service with one browser: it checks who sends (RFC 8292), and the browser decrypts what it
 * gets (RFC 8291). `answer`: the status of its answers.
 */
export async function startPushService() {
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  const auth = randomBytes(16);
  const shown: Shown[] = [];
  let status = 201;
  let applicationKey: string | undefined;
  const peer = await startPeer(async (request, response) => {
    const body = await buffer(request);
    if (status !== 201) return void response.writeHead(status).end();
    const { authorization = '' } = request.headers;
    applicationKey = assertVapid(authorization, peer.url);
    const text = decrypt(body, keys.getPrivateKey(), auth);
    shown.push({ ...JSON.parse(text), headers: request.headers });
    response.writeHead(201).end();
  });
  return {
    shown,
    received: peer.received,
    /** By which the sender signed the last time. */
    applicationKey: () => applicationKey,
    /** As the browser gives it to the page. */
    subscription: {
      endpoint: `${peer.url}/send/${randomBytes(16).toString('base64url')}`,
      p256dh: keys.getPublicKey('base64url'),
      auth: auth.toString('base64url'),
    },
    answer: (next: number) => {
      status = next;
    },
  };
}

/** The key of the sender, whose signature must be good and for this service. */
function assertVapid(header: string, origin: string): string {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) =>
    part.toString('base64url'),
  );
  const publicKey = createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x: x as string, y: y as string },
    format: 'jwk',
  });
  const signed = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  assert.ok(signed, 'the signature is bad');
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  assert.equal(aud, origin);
  assert.ok(exp * 1_000 > Date.now() && exp * 1_000 < Date.now() + 24 * 3_600_000);
  assert.match(sub, /^mailto:/);
  return key;
}

/** As a browser does it, from the private key of its subscription. */
export function decrypt(body: Buffer, privateKey: Buffer, auth: Buffer): string {
  const [salt, size, length] = [body.subarray(0, 16), body.readUInt32BE(16), body.readUInt8(20)];
  const sender = body.subarray(21, 21 + length);
  const record = body.subarray(21 + length);
  assert.ok(record.length <= size);
  const own = createECDH('prime256v1');
  own.setPrivateKey(privateKey);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender]);
  const secret = Buffer.from(hkdfSync('sha256', own.computeSecret(sender), auth, info, 32));
  const derive = (name: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${name}\0`, bytes));
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  assert.ok(end >= 0 && padded.subarray(end + 1).every((byte) => byte === 0));
  return padded.subarray(0, end).toString();
}
