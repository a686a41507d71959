import { parseArgs } from 'node:util';
import { numberOf, orUsage, urlOf } from '../../arguments.ts';
import { type FakeStripe, startFakeStripe } from './server.ts';

// By hand: `npm run fake-stripe -- --port 12111 --webhook http://127.0.0.1:8080/webhooks/stripe`.
const HELP = `Usage: npm run fake-stripe -- [options]

Starts a stand-in for Stripe on 127.0.0.1, and says how to point a server at it. It charges nobody.

Options:
  --port <number>   where to listen; 0 takes a free one (12111)
  --webhook <url>   where events go (http://127.0.0.1:8080/webhooks/stripe)
  --help            this text
`;

const { port, webhookUrl } = orUsage(HELP, () => {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '12111' },
      webhook: { type: 'string', default: 'http://127.0.0.1:8080/webhooks/stripe' },
    },
  });
  return {
    port: numberOf('--port', values.port, { from: 0, to: 65535 }),
    webhookUrl: urlOf('--webhook', values.webhook),
  };
});

const fake = await startFakeStripe({ port, webhookUrl }).catch(cannotListen);
fake.automatic({});
process.stdout.write(`A fake Stripe is ready: ${fake.url}. It charges nobody, and forgets everything when it ends.

Point Guildhall at it, with a database of its own (one that Stripe charged for is never the sandbox's again):
  DATA_DIR=.guildhall-fake STRIPE_SECRET_KEY=${fake.secretKey} STRIPE_API_BASE=${fake.url} STRIPE_WEBHOOK_SECRET=${fake.webhookSecret} npm start

Events go to ${webhookUrl} as they happen (--webhook URL).
Break something, dispute a charge, see what moved:
  curl ${fake.url}/_control/fault -d '{"match":"POST /v1/payment_intents/:id/confirm","kind":"dropAfter"}'
  curl ${fake.url}/_control/dispute -d '{"top_up_id":"..."}'
  curl ${fake.url}/_control/movements
`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void fake.close());

function cannotListen({ code, message }: NodeJS.ErrnoException): FakeStripe {
  const reason =
    code === 'EADDRINUSE'
      ? `Port ${port} is in use: stop what uses it, or choose another, as in --port 0 for any free one.`
      : `Port ${port} cannot be opened (${message}).`;
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
