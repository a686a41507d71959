import type { Pod } from '../../../platform/pods/pod.ts';
import type { NamedRefusal } from '../../network/network.ts';
import { KEPT_BYTES } from '../commands/command-log.ts';
import {
  type Environment,
  type Environments,
  hasFailed,
  type SetUpOf,
  type SetupEnd,
} from './environment.ts';

interface End {
  conclusion: 'success' | 'failure' | 'timed_out';
  log: string;
}

interface Options {
  environments: Environments | undefined;
  environment: Environment | undefined;
  order: SetUpOf;
  signal: AbortSignal;
  renew(): Promise<Pod>;
  onLog(log: string): void;
  onRefused: ((refusal: NamedRefusal) => void) | undefined;
}

/** Bytes of the log of a setup in that of a command. */
const KEPT_OF_SETUP = 65_536;

/**
 * Sets up a pod before a command of its own runs there. The log of the command begins with that of
 * the setup, whose failure is that of the command.
 */
export async function withSetup(
  pod: Pod,
  { environments, environment, order, signal, renew, onLog, onRefused }: Options,
  run: (pod: Pod, onLog: (log: string) => void) => Promise<End>,
): Promise<End> {
  if (environments === undefined || environment === undefined) return run(pod, onLog);
  const notices = environment.notices.map((notice) => `${notice}\n`).join('');
  const setup = await environments.setUp(pod, environment, order, {
    signal,
    renew,
    onRefused,
    onLog: (log) => onLog(notices + headed(environment.setup ?? '', log)),
  });
  const { end } = setup;
  if (end !== undefined && hasFailed(end)) {
    const conclusion = end.conclusion === 'timed_out' ? 'timed_out' : 'failure';
    return { conclusion, log: `${notices}${headed(end.command, end.log)}${NOT_RUN}\n` };
  }
  const before =
    end === undefined ? notices : `${notices}${headed(end.command, logOf(end))}\nCommand:\n`;
  const whole = (log: string) => before + lastOf(log, KEPT_BYTES - Buffer.byteLength(before));
  const ended = await run(setup.pod, (log) => onLog(whole(log)));
  return { ...ended, log: whole(ended.log) };
}

const NOT_RUN = 'The setup has failed: the command was not run.';

const headed = (command: string, log: string) =>
  `Setup: ${inOneLine(command)}\n${lastOf(log, KEPT_OF_SETUP)}`;

const logOf = (end: SetupEnd) => (end.made === undefined ? end.log : `${restoredText(end)}\n`);

export const inOneLine = (command: string): string => {
  const [first = '', ...rest] = command.trim().split('\n');
  return rest.length === 0 && first.length <= 200 ? first : `${first.slice(0, 200)} …`;
};

/** As in "Setup was taken from the cache (made 2 hours ago from commit abc1234)." */
export function restoredText({ made }: SetupEnd): string {
  const { at = '', commit = '' } = made ?? {};
  return `Setup was taken from the cache (made ${ago(at)} from commit ${commit.slice(0, 7)}).`;
}

function ago(at: string): string {
  const minutes = Math.round((Date.now() - Date.parse(at)) / 60_000);
  if (minutes < 1) return 'just now';
  const [count, unit] =
    minutes < 60
      ? [minutes, 'minute']
      : minutes < 2_880
        ? [Math.round(minutes / 60), 'hour']
        : [Math.round(minutes / 1_440), 'day'];
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

/** The last whole lines that fit into so many bytes. */
export function lastOf(text: string, bytes: number): string {
  const all = Buffer.from(text);
  if (all.length <= bytes) return text;
  const end = all.subarray(all.length - bytes);
  return end.subarray(end.indexOf(0x0a) + 1).toString();
}
