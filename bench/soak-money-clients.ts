import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { FakeStripe } from '../server/testing/fakes/fake-stripe/fake.ts';
import type { Fixtures, User } from '../server/testing/fixtures/tenants.ts';
import type { Served } from '../server/testing/harness/serve.ts';

/** People who add funds, with and without a browser, and what they have done. */

export const counts = { requests: 0, retries: 0, attended: 0 };

const CARDS = ['pm_card_visa', 'pm_card_visa', 'pm_card_visa', 'pm_card_chargeDeclined'];
const ATTENDED = 'pm_card_authenticationRequired';
/** Without tax, with it, and with reverse charge. */
const DETAILS = [
  undefined,
  { name: 'Müller GmbH', country: 'DE', email: 'billing@mueller.example', mail_receipts: true },
  { name: 'Dupont SARL', country: 'FR', tax_id: 'FR40303265045' },
];

export interface Payer {
  user: User;
  cards: string[];
  attended: string;
}

export async function newPayer(fixtures: Fixtures, url: string, number: number): Promise<Payer> {
  const user = await fixtures.user();
  const cards = await Promise.all(CARDS.map((token) => fixtures.card(user, token)));
  const details = DETAILS[number % DETAILS.length];
  if (details !== undefined) {
    const answer = await fetch(`${url}/api/billing/details`, {
      method: 'PUT',
      headers: headersOf(user),
      body: JSON.stringify(details),
    });
    if (!answer.ok) throw new Error(`billing details: ${await answer.text()}`);
  }
  return { user, cards, attended: await fixtures.card(user, ATTENDED) };
}

/** Adds funds until it is over; a request without an answer is sent again with its key. */
export async function pay(
  servers: Served[],
  { user, cards, attended }: Payer,
  fake: FakeStripe,
  done: AbortSignal,
): Promise<void> {
  while (!done.aborted) {
    const amount = randomInt(100, 5000) / 100;
    if (randomInt(5) === 0) {
      counts.attended++;
      const body = { amount, payment_method_id: attended };
      const answer = await send(servers, user, '/api/billing/top-ups', body, done);
      if (answer?.status === 'requires_action') await confirm(servers, user, fake, answer, done);
    } else {
      const body = { amount, payment_method_id: cards[randomInt(cards.length)] };
      await send(servers, user, '/api/billing/add-funds', body, done);
    }
  }
}

/** The cardholder confirms, fails to, or closes the window; only then does the page ask. */
async function confirm(
  servers: Served[],
  user: User,
  fake: FakeStripe,
  { id, client_secret: secret }: Answer,
  done: AbortSignal,
): Promise<void> {
  await pause(randomInt(0, 500));
  const dice = randomInt(10);
  if (dice === 0) return;
  try {
    fake.authenticate(secret as string, dice > 2);
  } catch {
    return; // It was cancelled meanwhile.
  }
  if (dice < 9) await send(servers, user, `/api/billing/top-ups/${id}/complete`, {}, done);
}

/** Every charge that still waits for its cardholder is confirmed, or fails. */
export function confirmAll(fake: FakeStripe): void {
  for (const { id, status } of fake.state.intents.values())
    if (status === 'requires_action') fake.authenticate(id, randomInt(2) === 0);
}

interface Answer {
  id?: string;
  status?: string;
  client_secret?: string;
}

async function send(
  servers: Served[],
  user: User,
  path: string,
  body: object,
  done: AbortSignal,
): Promise<Answer | undefined> {
  const key = randomUUID();
  for (let attempt = 0; attempt < 6 && !done.aborted; attempt++) {
    counts.requests++;
    if (attempt > 0) counts.retries++;
    const { url } = servers[randomInt(servers.length)] as Served;
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { ...headersOf(user), 'idempotency-key': key },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(8000),
    }).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    if (answer !== undefined && text !== undefined) {
      if ([200, 201, 402, 422].includes(answer.status)) return JSON.parse(text);
      if (answer.status >= 500 && answer.status !== 503)
        throw new Error(`an answer of ${answer.status}`);
    }
    await pause(randomInt(20, 400));
  }
  return undefined;
}

const headersOf = (user: User) => ({
  authorization: `Bearer ${user.key}`,
  'content-type': 'application/json',
});
