import { parseArgs } from 'node:util';
import { numberOf, orUsage, urlOf } from '../../processes/arguments.ts';
import { cannotListen } from '../listener.ts';
import { startFakeStripe } from './server.ts';

// By hand: `npm run fake-stripe -- --port 12111 --webhook http://127.0.0.1:8080/webhooks/stripe`.
const HELP = `Usage: npm run fake-stripe -- [options]

Starts a fake Stripe on 127.0.0.1 and says how to point a server at it. It moves no money.

Options:
  --port <number>   port to listen on; 0 picks a free one (default 12111)
  --webhook <url>   where to send events (default http://127.0.0.1:8080/webhooks/stripe)
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

const fake = await startFakeStripe({ port, webhookUrl }).catch(cannotListen(port));
fake.automatic({});
process.stdout.write(`The fake Stripe is running at ${fake.url}. It moves no money and forgets everything when it ends.

To point Guildhall at it, use a separate database, because one that Stripe has charged cards in cannot go back to the sandbox:
  DATA_DIR=.guildhall-fake STRIPE_SECRET_KEY=${fake.secretKey} STRIPE_PUBLISHABLE_KEY=pk_test_fake STRIPE_API_BASE=${fake.url} STRIPE_WEBHOOK_SECRET=${fake.webhookSecret} npm start

Events are sent to ${webhookUrl} (--webhook URL).
To cause a fault, dispute a charge, or see what was moved:
  curl ${fake.url}/_control/fault -d '{"match":"POST /v1/payment_intents/:id/confirm","kind":"dropAfter"}'
  curl ${fake.url}/_control/dispute -d '{"top_up_id":"..."}'
  curl ${fake.url}/_control/movements
`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void fake.close());
