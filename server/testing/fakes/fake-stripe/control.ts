import type { Answer } from './failure.ts';
import type { FakeStripe } from './fake.ts';
import type { Card } from './state.ts';

type Body = Record<string, unknown>;

const text = (body: Body, name: string): string => {
  const value = body[name];
  if (typeof value !== 'string') throw new Error(`${name} is missing`);
  return value;
};

// Each body is the argument of the function of the same name. These endpoints are for tests only.
const COMMANDS: Record<string, (fake: FakeStripe, body: Body) => unknown> = {
  'POST fault': (fake, body) => fake.fault(body as never),
  'POST clear-faults': (fake) => fake.clearFaults(),
  'POST deliver': (fake, body) => fake.deliver(body),
  'POST automatic': (fake, body) => fake.automatic(body.off === true ? undefined : body),
  'POST webhook': (fake, body) =>
    fake.webhook(text(body, 'url'), body.secret as string | undefined),
  'POST dispute': (fake, body) => fake.dispute(target(fake, body), body),
  'POST close-dispute': (fake, body) =>
    fake.closeDispute(text(body, 'id'), body.outcome === 'won' ? 'won' : 'lost'),
  'POST fail-refund': (fake, body) => fake.failRefund(text(body, 'id')),
  'POST card': (fake, body) => fake.card(text(body, 'token'), body as unknown as Card),
  'POST detach': (fake, body) => fake.detach(text(body, 'token')),
  'POST complete-setup': (fake, { setup, ...details }) =>
    fake.completeSetup(text({ setup }, 'setup'), details),
  'POST replace-card': (fake, { token, ...details }) =>
    fake.replaceCard(text({ token }, 'token'), details as Card['details']),
  'POST authenticate': (fake, body) =>
    fake.authenticate(text(body, 'intent'), body.passes !== false),
  'POST pay-out': (fake) => fake.payOut(),
  'POST bill': (fake, body) => fake.bill(Number(body.cents)),
  'POST close-port': (fake, body) => fake.closePort(body.ms as number | undefined),
  'POST open-port': (fake) => fake.openPort(),
  'POST forget-keys': (fake) => fake.forgetKeys(),
  'GET movements': (fake) => fake.movements,
  'GET captured': (fake, body) => fake.captured(text(body, 'top_up_id')),
  'GET requests': (fake) => fake.requests,
  'GET events': (fake) => fake.state.events,
  'GET intents': (fake) => [...fake.state.intents.values()],
  'GET faults': (fake) => fake.faults,
};

/**
 * `/_control/{command}` with a JSON body, or for GET a query. Amounts of movements are strings of
 * micro-USD.
 */
export async function control(
  fake: FakeStripe,
  method: string,
  name: string,
  body: Body,
): Promise<Answer> {
  const command = COMMANDS[`${method} ${name}`];
  if (command === undefined) return { status: 404, body: { commands: Object.keys(COMMANDS) } };
  try {
    const result = (await command(fake, body)) ?? { ok: true };
    return { status: 200, body: JSON.parse(JSON.stringify(result, plain)) };
  } catch (error) {
    return { status: 400, body: { error: error instanceof Error ? error.message : String(error) } };
  }
}

const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);

function target(fake: FakeStripe, body: Body): string {
  if (typeof body.intent === 'string') return body.intent;
  const topUpId = text(body, 'top_up_id');
  const intent = [...fake.state.intents.values()].find((one) => one.metadata.top_up_id === topUpId);
  if (intent === undefined) throw new Error('no intent for this top-up');
  return intent.id;
}
