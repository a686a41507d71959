import { parseArgs } from 'node:util';
import { startFakeStripe } from './server.ts';

// By hand: `npm run fake-stripe -- --port 12111 --webhook http://127.0.0.1:8080/webhooks/stripe`.
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '12111' },
    webhook: { type: 'string', default: 'http://127.0.0.1:8080/webhooks/stripe' },
  },
});

const fake = await startFakeStripe({ port: Number(values.port), webhookUrl: values.webhook });
fake.automatic({});
process.stdout.write(`A fake Stripe is ready: ${fake.url}. It charges nobody, and forgets everything when it ends.

Point Guildhall at it, with a database of its own (one that Stripe charged for is never the sandbox's again):
  DATA_DIR=.guildhall-fake STRIPE_SECRET_KEY=${fake.secretKey} STRIPE_API_BASE=${fake.url} STRIPE_WEBHOOK_SECRET=${fake.webhookSecret} npm start

Events go to ${values.webhook} as they happen (--webhook URL).
Break something, dispute a charge, see what moved:
  curl ${fake.url}/_control/fault -d '{"match":"POST /v1/payment_intents/:id/confirm","kind":"dropAfter"}'
  curl ${fake.url}/_control/dispute -d '{"top_up_id":"..."}'
  curl ${fake.url}/_control/movements
`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void fake.close());
