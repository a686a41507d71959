import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubernetesClient } from '../../../server/platform/pods/kubernetes/client.ts';
import { kubernetesEngine } from '../../../server/platform/pods/kubernetes/kubernetes-engine.ts';
import { DEFAULT_LIMITS } from '../../../server/platform/pods/limits.ts';
import { WORK_TREE } from '../../../server/platform/pods/places.ts';
import type { Engine } from '../../../server/platform/pods/remote/engine.ts';
import { remoteDriver } from '../../../server/platform/pods/remote/remote-driver.ts';
import {
  packLargeTree,
  unpackLargeTree,
} from '../../../server/platform/pods/tree/move-large-tree.ts';

/**
 * What it costs to move a tree of many small files into a pod of the cluster and out of it, beside
 * the least that it can cost there: `tar` in the pod, through the same exec. Started by trees.sh,
 * which says how.
 */
const {
  GUILDHALL_TEST_KUBERNETES: url = '',
  GUILDHALL_TEST_TOKEN_FILE: tokenFile = '',
  GUILDHALL_TEST_CA_FILE: caFile,
  GUILDHALL_TEST_NAMESPACE: namespace = '',
  GUILDHALL_TEST_PODS_IMAGE: image = '',
  RUN: run = '',
  FILES: files = '20000',
  ROUNDS: rounds = '3',
  // biome-ignore lint/style/noProcessEnv: trees.sh sets it.
} = process.env;

const engine: Engine = kubernetesEngine({
  client: kubernetesClient({ url, tokenFile, caFile }),
  image,
  namespace,
  limits: DEFAULT_LIMITS,
});
const pods = remoteDriver(engine);

const POD = 'pod';
/** Processes of the cluster, whose numbers up.sh has noted. */
const SERVERS = ['apiserver', 'kubelet', 'containerd'];
const TICK_MS = 10;
const MESSAGE = 131_072;
const BOUNDS = { maxBytes: 1024 ** 3, maxEntries: 1_000_000 };

/** Milliseconds of processor time until now, by who has used it. */
async function used(): Promise<Record<string, number>> {
  const { user, system } = process.cpuUsage();
  const all: Record<string, number> = { worker: (user + system) / 1_000 };
  for (const name of SERVERS) {
    const pid = (await readFile(join(run, `${name}.pid`), 'utf8')).trim();
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    all[name] = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }
  all[POD] = await usedInPods();
  return all;
}

async function usedInPods(): Promise<number> {
  const first = '/sys/fs/cgroup/cpuacct/kubepods/cpuacct.usage';
  const nanoseconds = await readFile(first, 'utf8').catch(() => undefined);
  if (nanoseconds !== undefined) return Number(nanoseconds) / 1e6;
  const second = await readFile('/sys/fs/cgroup/kubepods/cpu.stat', 'utf8');
  return Number(/usage_usec (\d+)/.exec(second)?.[1]) / 1_000;
}

interface Cost {
  wall: number;
  by: Record<string, number>;
}

const costs = new Map<string, Cost[]>();

async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  const before = await used();
  const began = performance.now();
  await work().catch((error) => {
    throw new Error(`${what}: ${error.message}`, { cause: error });
  });
  const wall = performance.now() - began;
  const after = await used();
  const by = Object.fromEntries(
    Object.entries(after).map(([who, ms]) => [who, ms - (before[who] ?? 0)]),
  );
  costs.set(what, [...(costs.get(what) ?? []), { wall, by }]);
}

/** A process in the container of the files: what `take` gets is all that it prints. */
async function raw(
  id: string,
  script: string,
  input: readonly Buffer[] = [],
  take: (chunk: Buffer) => void = () => {},
): Promise<void> {
  const process = await engine.exec(id, 'files', ['sh', '-c', script]);
  process.stderr.resume();
  process.stdout.on('data', take);
  for (const chunk of input) if (!process.stdin.write(chunk)) await once(process.stdin, 'drain');
  const code = await process.exited;
  process.disconnect();
  if (code !== 0) throw new Error(`${script} ended with ${code}`);
}

/** As `raw`, with what it prints in a folder of this machine. */
async function untar(id: string, folder: string): Promise<void> {
  const local = spawn('tar', ['-xf', '-', '-C', folder], { stdio: ['pipe', 'inherit', 'inherit'] });
  await raw(id, `tar -cf - -C ${WORK_TREE} .`, [], (chunk) => local.stdin.write(chunk));
  local.stdin.end();
  const [code] = await once(local, 'exit');
  if (code !== 0) throw new Error(`tar ended with ${code}`);
}

const EMPTY = `find ${WORK_TREE} -mindepth 1 -delete`;
const ONE_KIB = '0123456789abcde\\n%.0s';
const FILL = `cd ${WORK_TREE} && i=0; while [ $i -lt ${Number(files) / 100} ]; do
  mkdir d$i; j=0; while [ $j -lt 100 ]; do printf '${ONE_KIB}' $SEQ > d$i/f$j; j=$((j+1)); done
  i=$((i+1)); done`;

async function main(): Promise<void> {
  const id = crypto.randomUUID();
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-trees-'));
  try {
    await pods.create(id);
    const pod = await pods.start(id);
    await raw(id, `SEQ=$(seq 64); ${FILL}`);
    for (let round = 0; round < Number(rounds); round += 1) {
      const archive: Buffer[] = [];
      await measure('nothing: one exec of the helper', () => pod.files.read('x', { maxBytes: 1 }));
      await measure('out: tar in the pod', () => raw(id, `tar -cf - -C ${WORK_TREE} .`));
      await measure('out: pack', async () => {
        for await (const chunk of pod.files.pack(BOUNDS)) archive.push(Buffer.from(chunk));
      });
      const target = join(folder, String(round));
      const ofTar = join(folder, `${round}-tar`);
      for (const one of [target, ofTar]) await mkdir(one);
      await measure('to a folder: tar in the pod, and tar', () => untar(id, ofTar));
      await rm(ofTar, { recursive: true });
      await measure('to a folder: pack', () =>
        unpackLargeTree(target, pod.files.pack(BOUNDS), BOUNDS),
      );
      const all = Buffer.concat(archive);
      const parts: Buffer[] = [];
      for (let at = 0; at < all.length; at += MESSAGE) parts.push(all.subarray(at, at + MESSAGE));
      await raw(id, EMPTY);
      await measure('in: tar in the pod', () =>
        raw(id, `head -c ${all.length} | tar -xf - -C ${WORK_TREE}`, parts),
      );
      await raw(id, EMPTY);
      await measure('in: unpack', () => pod.files.unpack(chunksOf(parts), BOUNDS));
      await measure('in: unpack in place of a tree', () =>
        pod.files.unpack(chunksOf(parts), BOUNDS),
      );
      await measure('in: unpack of a folder of the worker', () =>
        pod.files.unpack(packLargeTree(target, BOUNDS), BOUNDS),
      );
      await rm(target, { recursive: true });
    }
    report();
  } finally {
    await rm(folder, { recursive: true, force: true });
    await pods.destroy(id);
    await pods.close();
  }
}

async function* chunksOf(parts: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* parts;
}

/** The middle of what was measured. Programs that the worker starts are not counted as its time. */
function report(): void {
  const middle = (values: number[]) =>
    values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
  const who = ['worker', ...SERVERS, POD];
  const lines = [
    `| ${files} files | s | to tar | ${who.map((one) => `${one}, s`).join(' | ')} |`,
    `|---|${'---:|'.repeat(who.length + 2)}`,
  ];
  for (const [what, all] of costs) {
    const wall = middle(all.map((one) => one.wall));
    const [way] = what.split(':');
    const floor = [...costs].find(([other]) => other.startsWith(`${way}: tar`))?.[1];
    const ratio = floor && wall / middle(floor.map((one) => one.wall));
    const by = who.map((one) => (middle(all.map((cost) => cost.by[one] ?? 0)) / 1_000).toFixed(2));
    lines.push(
      `| ${what} | ${(wall / 1_000).toFixed(2)} | ${ratio?.toFixed(1) ?? ''} | ${by.join(' | ')} |`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

await main();
