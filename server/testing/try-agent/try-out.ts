import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../../client/src/index.ts';
import { removeOutside } from '../../db/embedded/outside.ts';
import { createKey } from '../../identity/keys/keys.ts';
import { createUser } from '../../identity/users/users.ts';
import { type Server, start } from '../../main/start.ts';
import { signalled } from '../../main/until.ts';
import { readConfig } from '../../platform/config/config.ts';
import { type FakeRegistry, startRegistry } from '../fakes/npm-registry.ts';
import { CHANGE } from '../fixtures/runner/scripted-model.ts';
import { doubtOf } from './doubt.ts';
import { journey, type Step } from './journey.ts';
import { minutesOf, Refusal, type Values } from './options.ts';
import { withoutNpm } from './pods-npm.ts';
import { ASKED, filesOf, MESSAGE, MISSING, PACKAGES } from './project.ts';
import { pushFirst, readMerged } from './repository.ts';
import { whatWasSeen } from './seen.ts';
import type { Trial } from './trial.ts';

/**
 * Runs a trial on a server of its own, with a registry of its own. Throws Refusal, and Signalled
 * when a signal has ended it; nothing is left of it then, either.
 */
export async function tryOut(trial: Trial, values: Values) {
  const { agent, version, api, model } = trial;
  const signal = signalled('SIGINT', 'SIGTERM', 'SIGHUP');
  signal.addEventListener('abort', () =>
    console.error(`${signal.reason.signal}: the trial ends, which may take half a minute …`),
  );
  // Whoever reads what it prints is gone, as a terminal may be.
  for (const output of [process.stdout, process.stderr])
    output.on('error', () => signal.aborted || process.kill(process.pid, 'SIGHUP'));
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-try-'));
  await chmod(directory, 0o755); // as root, PostgreSQL and the users of pods have to pass
  const steps: Step[] = [];
  const say = (line: string) => values.json === true || console.log(line);
  let server: Server | undefined;
  let registry: FakeRegistry | undefined;
  try {
    const noNpm = withoutNpm();
    if (noNpm !== undefined) throw new Refusal(noNpm);
    registry = await openRegistry();
    const { host, url, received } = registry;
    const file = join(directory, 'catalog.json');
    if (trial.catalog !== undefined) await writeFile(file, JSON.stringify(trial.catalog));
    const config = readConfig({
      ...trial.env,
      ...(trial.catalog === undefined ? {} : { GUILDHALL_CATALOG: file }),
      PATH: process.env.PATH,
      DATA_DIR: join(directory, 'data'),
      PORT: '0',
      LOG_LEVEL: 'silent',
      BILLING: 'off',
      PODS_NETWORK_SETUP: host,
      PODS_NETWORK_AGENT: host,
      PODS_NETWORK_CHECKS: host,
      PODS_NETWORK_PRIVATE: ADDRESS,
    });
    const its = values.scripted === true ? 'a scripted model' : model;
    const tried = agent === model ? 'The sandbox agent' : `${version ?? agent} with ${its}`;
    say(`${tried}: a server begins on a temporary database …`);
    server = await start(config, { tasks: 'here', signal });
    const person = { email: 'trial@example.com', name: 'Trial' };
    await createUser(server.db, person);
    const { secret = '' } =
      (await createKey(server.db, { email: person.email, name: 'trial' })) ?? {};
    const place = { url: server.url, key: secret, directory };
    const files = filesOf(registry);
    let failed: string | undefined;
    const merged = await journey({
      client: createClient({ baseUrl: server.url, key: secret }),
      message: MESSAGE,
      change: CHANGE,
      variables: { npm_config_registry: url },
      bring: (projectId) => pushFirst(place, projectId, files),
      timeout: minutesOf(values) * 60_000,
      signal,
      onStep: (step) => {
        steps.push(step);
        say(`${step.step.padEnd(14)}${step.seconds.toFixed(1).padStart(7)} s  ${step.seen}`);
      },
    })
      .then((projectId) => readMerged(place, projectId, [ASKED, MISSING]))
      .catch((error: Error) => {
        // It also ends git, which is a reason for nothing.
        signal.throwIfAborted();
        failed = error.message;
        return {};
      });
    const seen = await whatWasSeen(server, host);
    failed ??= doubtOf({ merged, asked: received.length, ...seen });
    return {
      agent,
      version,
      api,
      model,
      ok: failed === undefined,
      failed,
      steps,
      merged,
      ...seen,
      asked: received.length,
      answers: trial.answers(),
    };
  } finally {
    await server?.close();
    await registry?.close();
    await trial.end();
    await removeOutside(join(directory, 'data'));
    await rm(directory, { recursive: true, force: true });
  }
}

/** Where the registry is. */
const ADDRESS = '127.0.0.2';

const openRegistry = (): Promise<FakeRegistry> =>
  startRegistry(PACKAGES).catch((error: Error) => {
    throw new Refusal(
      `The registry of the trial needs the address ${ADDRESS}, and this machine does not have it ` +
        `(${error.message}): add it to the loopback interface.`,
    );
  });
