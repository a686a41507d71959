import { constants } from 'node:os';
import { Signalled } from '../../main/until.ts';
import { ConfigError } from '../../platform/config/config.ts';
import { HELP, minutesOf, options, Refusal } from './options.ts';
import { prepare } from './trial.ts';
import type { tryOut } from './try-out.ts';

/** `npm run agents:try`: one agent that is ready, from a message to a merge, on a server of its own. */

function report({
  ok,
  failed,
  confined,
  tools,
  tokens,
  cost_usd,
  notices,
  counted,
  asked,
}: Awaited<ReturnType<typeof tryOut>>) {
  for (const text of new Set(notices)) console.log(`notice: ${text}`);
  console.log(
    `registry: asked ${asked} times; its proxies have counted ${counted.setup} by the setup, ` +
      `${counted.agent} by the agent, ${counted.checks} by checks`,
  );
  console.log(`tools: ${tools.completed} worked, ${tools.failed} failed`);
  console.log(`tokens: ${tokens.input} in, ${tokens.output} out; cost: $${cost_usd}`);
  if (confined !== null)
    console.log(confined ? 'The pod was confined.' : 'The pod was NOT confined.');
  console.log(ok ? 'It works: from a message to a merge.' : `It does not work: ${failed}`);
}

try {
  const values = options();
  if (values.help === true) console.log(HELP);
  else {
    minutesOf(values);
    const trial = await prepare(values);
    // The server takes seconds to load, which what is refused need not wait for.
    const { tryOut } = await import('./try-out.ts');
    const result = await tryOut(trial, values);
    if (values.json === true) console.log(JSON.stringify(result, undefined, 2));
    else report(result);
    process.exitCode = result.ok ? 0 : 1;
  }
} catch (error) {
  if (error instanceof Signalled) {
    console.error(`${error.signal} ended the trial. Nothing of it is left.`);
    process.exitCode = 128 + constants.signals[error.signal];
  } else {
    if (!(error instanceof Refusal || error instanceof ConfigError)) throw error;
    console.error(`${error.message}\nSee npm run agents:try -- --help.`);
    process.exitCode = 2;
  }
}
