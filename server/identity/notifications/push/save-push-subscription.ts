import { createECDH, createHash, randomUUID } from 'node:crypto';
import Type from 'typebox';
import { ownSession } from '../../../access/session.ts';
import { sql } from '../../../db/sql.ts';
import { fieldError } from '../../../http/errors.ts';
import { object, text } from '../../../http/input/fields.ts';
import { route } from '../../../http/route.ts';
import type { PushServices } from './push-services.ts';
import { sealAddress } from './sealed-push.ts';

const endpointInvalid = fieldError(
  'endpoint_invalid',
  ['body', 'endpoint'],
  'This is no address of a push service: send the `endpoint` of the subscription as the browser gives it',
);
const keyInvalid = fieldError(
  'push_key_invalid',
  ['body', 'p256dh'],
  'This is no key of a subscription: send `keys` as the browser gives them',
);

/** The browser of the session is told from now on. */
export const savePushSubscription = ({ pushSealing, httpPush }: PushServices) =>
  route({
    method: 'PUT',
    path: '/auth/push',
    area: 'Sign-in',
    operationId: 'save_push_subscription',
    summary: 'Let a browser be told',
    description:
      'Stores the subscription of the browser of this session, which it gets from its push service. ' +
      'It is used while the session lasts.',
    credential: 'session',
    access: ownSession,
    body: object({
      endpoint: text({
        minLength: 10,
        maxLength: 1_000,
        description: 'Where its push service takes messages.',
      }),
      p256dh: Type.String({
        minLength: 87,
        maxLength: 88,
        pattern: '^[A-Za-z0-9_-]{87}=?$',
        description: 'Its public key, in base64url.',
      }),
      auth: Type.String({
        minLength: 22,
        maxLength: 24,
        pattern: '^[A-Za-z0-9_-]{22}={0,2}$',
        description: 'The secret that it shares with this server, in base64url.',
      }),
    }),
    sample: () => ({
      body: {
        endpoint: 'https://push.example.com/send/dGVzdA',
        p256dh:
          'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
    }),
    responses: { 204: { description: 'The browser is told.' } },
    errors: [endpointInvalid, keyInvalid],
    handle: ({ body, statement }) => {
      const { endpoint } = body;
      const url = URL.parse(endpoint);
      const protocols = httpPush ? ['https:', 'http:'] : ['https:'];
      if (url === null || !protocols.includes(url.protocol) || url.username || url.password)
        throw endpointInvalid();
      if (!isPoint(body.p256dh)) throw keyInvalid();
      const id = randomUUID();
      const { sealed, keyId } = sealAddress(pushSealing, id, body);
      const hash = createHash('sha256').update(endpoint).digest();
      return statement<object>(
        {
          // Whoever signs in to a browser takes it over: it tells nobody else's tasks any more.
          with: sql`
            before as (
              delete from push_subscription s using authorized
               where s.session_id = authorized.session_id or s.endpoint_hash = ${hash}
              returning s.id),
            changed as (
              insert into push_subscription
                     (id, user_id, session_id, endpoint_hash, sealed, sealed_key_id)
              select ${id}, authorized.user_id, authorized.session_id, ${hash}, ${sealed}, ${keyId}
                from authorized where (select count(*) from before) >= 0
              -- Of two at the same time, one wins.
              on conflict do nothing)`,
          select: sql`select from authorized`,
        },
        () => ({ status: 204 }),
      );
    },
  });

function isPoint(text: string): boolean {
  try {
    const ecdh = createECDH('prime256v1');
    ecdh.generateKeys();
    ecdh.computeSecret(Buffer.from(text, 'base64url'));
    return true;
  } catch {
    return false;
  }
}
