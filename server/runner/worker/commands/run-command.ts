import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Pod,
  type PodDriver,
  PodError,
  type PodExit,
  type PodProcess,
} from '../../../platform/pods/pod.ts';
import type { Purpose } from '../../../platform/pods/purposes.ts';
import type { Variables } from '../../../platform/variables/variables-of.ts';
import { hiding } from '../../../telemetry/hide-secrets.ts';
import { forwarding } from '../../gateway/launch.ts';
import {
  linesOf,
  type NamedRefusal,
  type Network,
  type OpenNetwork,
} from '../../network/network.ts';
import type { Environments, SetUpOf } from '../environment/environment.ts';
import { withSetup } from '../environment/setup-log.ts';
import type { FillSubmodules } from '../submodules/submodules.ts';
import { type CommandLog, commandLog } from './command-log.ts';
import { fillPod } from './fill-pod.ts';

/** Where commands run. */
export interface CommandPlace {
  driver: PodDriver;
  /** The folder of all repositories. */
  directory: string;
  /** What commands reach of the network; without it, none is offered to them. */
  openNetwork?: OpenNetwork | undefined;
  /** What commands run in; without it, in what the pods of the driver have. */
  environments?: Environments | undefined;
  /** Fills submodules; without it, they stay empty. */
  submodules?: FillSubmodules | undefined;
}

interface Command {
  projectId: string;
  /** For `sh -c`. */
  run: string;
  /** What it reaches the network for. */
  purpose: Purpose;
  /** Those of the project. */
  variables: Variables;
  /** Ours, beside those of every command; they win over those of the project. */
  env: Readonly<Record<string, string>>;
  /** Milliseconds that it may take. */
  timeout: number;
}

interface CommandOrder extends SetUpOf, Command {
  /** Of a pod that is made for this command, and destroyed after it. */
  podId: string;
}

/** `log`: the end of what it has written, and how it has ended. */
export interface CommandEnd {
  conclusion: 'success' | 'failure' | 'timed_out';
  log: string;
  /** Why its pod has ended it. */
  reason?: string;
}

export interface CommandOptions {
  /** Ends the command and its pod; the call rejects with its reason. */
  signal: AbortSignal;
  /** Called with the log so far, every few seconds in which it has grown. */
  onLog?: (log: string) => void;
  /** Called once for each host that is refused, beside the line of the log that says so. */
  onRefused?: ((refusal: NamedRefusal) => void) | undefined;
}

/** Between two calls of `onLog`, in milliseconds. */
const LOG_EVERY_MS = 2_000;
/** How long the last output of a command that has ended is waited for, in milliseconds. */
const OUTPUT_WITHIN_MS = 5_000;
/** Bytes of output that are read in a second: a command must not keep this process busy. */
const BYTES_PER_SECOND = 32 * 1024 ** 2;

/** Both outputs as one, so that the log has what was written in its order. */
const IN_ORDER = 'exec sh -c "$1" 2>&1';

/**
 * Runs a command in a new pod that has the files of a commit and what its setup has made, and ends
 * whatever it has left behind. As far as the driver confines its pods, it reaches the hosts of its
 * purpose and nothing else. Rejects with PodError when the pod fails, and as `runGit` does: the
 * command may then be run again, in another pod.
 */
export async function runCommand(
  place: CommandPlace,
  order: CommandOrder,
  { signal, onLog = () => {}, onRefused }: CommandOptions,
): Promise<CommandEnd> {
  signal.throwIfAborted();
  const { driver, directory, openNetwork, environments, submodules } = place;
  const { podId } = order;
  try {
    const environment = await environments?.of(order, signal);
    const make = async () => {
      await driver.create(podId, environment?.image);
      const pod = await driver.attach(podId);
      await fillPod(pod, directory, order, signal, submodules);
      return pod;
    };
    const renew = async () => {
      await driver.destroy(podId);
      return make();
    };
    return await withSetup(
      await make(),
      { environments, environment, order, signal, renew, onLog, onRefused },
      (pod, onLog) => runIn(pod, openNetwork, order, { signal, onLog, onRefused }),
    );
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof PodError) || error.code !== 'too_large') throw error;
    // It would be so again.
    return { conclusion: 'failure', log: `The files of the commit do not fit: ${error.message}\n` };
  } finally {
    // What cannot be destroyed now is found by the reaper of pods.
    await driver.destroy(podId).catch(() => {});
  }
}

/** Runs a command in a pod, and ends what it has started. */
export async function runIn(
  pod: Pod,
  openNetwork: OpenNetwork | undefined,
  { run, variables, env, timeout, purpose, projectId }: Command,
  { signal, onLog = () => {}, onRefused = () => {} }: CommandOptions,
): Promise<CommandEnd> {
  const late = AbortSignal.timeout(timeout);
  const say = (line: string) => log.add(Buffer.from(`[network] ${line}\n`));
  const network = await openNetwork?.({
    projectId,
    purpose,
    signal,
    onRefused: (refusal) => {
      say(refusal.text);
      onRefused(refusal);
    },
  });
  const log = commandLog(hiding([...variables.secrets, ...(network ? [network.token] : [])]));
  try {
    const process = await pod.exec({
      ...inShell(run, network),
      tree: 'writable',
      env: { ...network?.env, ...variables.env, CI: 'true', ...env },
      signal: AbortSignal.any([signal, late]),
    });
    const following = follow(process, log, onLog);
    const exit = await process.exited;
    await following.end();
    await network?.close();
    signal.throwIfAborted();
    if (exit.lost) throw new PodError('unavailable', 'the pod was ended under its command');
    linesOf(network?.used() ?? []).forEach(say);
    const { conclusion, how } = endOf(exit, late.aborted ? timeout : undefined);
    const ended = { conclusion, log: `${log.text()}${how}\n` };
    return exit.reason === undefined ? ended : { ...ended, reason: exit.reason };
  } finally {
    await network?.close();
  }
}

function inShell(run: string, network: Network | undefined) {
  const shell = { command: 'sh', args: ['-c', IN_ORDER, 'sh', run] };
  if (network === undefined) return shell;
  const sockets = { proxy: network.socket };
  return { ...forwarding(shell, sockets), sockets };
}

/** What an end is called, and says in words. `late`: the milliseconds that it has exceeded. */
function endOf(
  { code, signal, reason }: PodExit,
  late: number | undefined,
): { conclusion: CommandEnd['conclusion']; how: string } {
  if (late !== undefined)
    return { conclusion: 'timed_out', how: `It was ended after ${minutes(late)}.` };
  if (reason !== undefined) return { conclusion: 'failure', how: `It was ended: ${reason}` };
  if (code === 0) return { conclusion: 'success', how: 'It ended with code 0.' };
  const how = code === null ? `by ${signal ?? 'a signal'}` : `with code ${code}`;
  return { conclusion: 'failure', how: `It ended ${how}.` };
}

const minutes = (ms: number) =>
  ms < 60_000 ? `${ms / 1_000} seconds` : `${ms / 60_000} ${ms === 60_000 ? 'minute' : 'minutes'}`;

/** Reads what a process writes. `end` waits for the last of it. */
function follow(
  { stdin, stdout, stderr }: PodProcess,
  log: CommandLog,
  onLog: (log: string) => void,
) {
  let grown = false;
  const add = (chunk: Uint8Array) => {
    log.add(chunk);
    grown = true;
  };
  const timer = setInterval(() => {
    if (grown) onLog(log.text({ growing: true }));
    grown = false;
  }, LOG_EVERY_MS);
  stdin.on('error', () => undefined).end();
  const read = Promise.all([stdout, stderr].map((stream) => readSteadily(stream, add)));
  return {
    async end() {
      await Promise.race([read, pause(OUTPUT_WITHIN_MS, undefined, { ref: false })]);
      clearInterval(timer);
    },
  };
}

async function readSteadily(stream: Readable, add: (chunk: Uint8Array) => void): Promise<void> {
  let begun = performance.now();
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      add(chunk);
      bytes += chunk.length;
      if (bytes < BYTES_PER_SECOND / 32) continue;
      const early = (bytes / BYTES_PER_SECOND) * 1_000 - (performance.now() - begun);
      if (early > 0) await pause(early);
      begun = performance.now();
      bytes = 0;
    }
  } catch {
    // The process was ended, and so is its output.
  }
}
