import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '../../db/migrate.ts';
import { startCluster } from '../database/cluster.ts';
import { startProxy } from '../database/proxy.ts';
import { startHarness } from '../harness/harness.ts';
import { startLoad } from '../harness/load.ts';
import { verifyLoad } from '../harness/verify-load.ts';

const cluster = await startCluster();
await migrate(cluster.url);
const proxy = await startProxy(cluster.url);
const harness = await startHarness({ databaseUrl: proxy.url });
after(async () => {
  await proxy.close();
  await cluster.stop();
});

test('connections that are ended in the middle of requests: 503 or done, never half, and new ones are made', async (t) => {
  const load = await startLoad(harness);
  const times: number[] = [];
  for (let i = 0; i < 3; i++) {
    await pause(150);
    await cluster.ask(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'guildhall'",
    );
    times.push(await load.recovery());
    await pause(100);
    proxy.cut();
    await pause(50);
    proxy.mend();
    times.push(await load.recovery());
  }
  await load.stop();
  t.diagnostic(`${await verifyLoad(harness, load)}; all works again after ${times.join(', ')} ms`);
});

test('PostgreSQL killed and started again under load: what was acknowledged is there, and it goes on by itself', async (t) => {
  const load = await startLoad(harness);
  await pause(500);
  const died = Date.now();
  await cluster.kill();
  await cluster.start();
  const back = Date.now() - died;
  proxy.lead(cluster.url);
  const recovered = await load.recovery();
  await load.stop();
  t.diagnostic(
    `${await verifyLoad(harness, load)}; ${back} ms until PostgreSQL was back, ${recovered} ms more until all worked`,
  );
});
