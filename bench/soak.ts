import { parseArgs } from 'node:util';
import { numberOf, orUsage } from '../server/testing/processes/arguments.ts';

const HELP = `Usage: npm run soak -- [options]

Starts servers on a separate database and a fake Stripe, kills the servers and breaks the
fake while people add funds, with and without a browser, and refunds and disputes arrive. Fails
if one cent is lost or counted twice, or if one invoice is missing, doubled or out of order.

Options:
  --minutes <number>   duration (default 1)
  --servers <number>   number of servers (default 3)
  --clients <number>   number of clients (default 8)
  --turns              instead: kill workers and PostgreSQL while agents work within spend limits
                       (--servers is the number of workers)
  --json               print the figures as one JSON document
  --help               this text
`;

const { turns, json, ...options } = orUsage(HELP, () => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '1' },
      servers: { type: 'string', default: '3' },
      clients: { type: 'string', default: '8' },
      turns: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  return {
    turns: values.turns,
    minutes: numberOf('--minutes', values.minutes, { from: 0.1, to: 10_080, whole: false }),
    servers: numberOf('--servers', values.servers, { from: 1, to: 50 }),
    clients: numberOf('--clients', values.clients, { from: 1, to: 1000 }),
    json: values.json,
  };
});

async function soak() {
  if (turns) {
    const { soakTurns } = await import('./soak-turns.ts');
    const sentence = 'No event and no cent was lost or doubled, and no process was left.';
    return { ...(await soakTurns({ ...options, workers: options.servers })), sentence };
  }
  const { soakMoney } = await import('./soak-money.ts');
  const sentence = 'No cent was lost or counted twice, and each has its invoice.';
  return { ...(await soakMoney(options)), sentence };
}

const { figures, passed, sentence } = await soak();
if (json) process.stdout.write(`${JSON.stringify(figures)}\n`);
else {
  for (const [name, value] of Object.entries(figures))
    process.stdout.write(`${name.padEnd(30)} ${value}\n`);
  process.stdout.write(passed ? `${sentence}\n` : 'FAILED\n');
}
process.exit(passed ? 0 : 1);
