import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ErpProgram } from '../../platform/catalog/erp-programs.ts';
import { WORK_TREE } from '../../platform/pods/places.ts';
import { endProcessesOf, processesOf } from '../../platform/pods/process/descendants.ts';
import { removeLargeTree } from '../../platform/pods/tree/remove-large-tree.ts';
import { hiding } from '../../telemetry/hide-secrets.ts';
import { beatIn, beatOf } from './beat.ts';
import {
  checkedInstanceId,
  type InstanceDriver,
  InstanceError,
  type InstanceSpec,
  type InstanceStatus,
  isInstanceId,
} from './instance-driver.ts';
import { lastOutput } from './last-output.ts';
import {
  launchProgram,
  markOfInstance,
  type ProgramValues,
  type RunningProgram,
} from './launch-program.ts';
import { layOut, readReport } from './lay-out.ts';
import { takeMails } from './mails.ts';
import { portsIn } from './ports.ts';
import { readLog } from './read-log.ts';

/**
 * Instances as programs of the operator's on this machine. Each is a folder, and the processes that
 * carry its id in their environment; they end with the process that has started them.
 */

export interface CommandInstances {
  directory: string;
  programs: readonly ErpProgram[];
  /** How long the program that removes an instance may take, in milliseconds. */
  removeWithin?: number;
  /** Between two signs that tests are still run, in milliseconds. */
  beatEvery?: number;
}

type Stored = Pick<InstanceSpec, 'erpVersion' | 'edition' | 'database'>;

const REMOVE_WITHIN_MS = 60_000;
const BEAT_MS = 10_000;
/** Characters of what a program has printed, in the operator's log. */
const LAST_WORDS = 500;

export function commandDriver(options: CommandInstances): InstanceDriver {
  const { directory, programs } = options;
  const { removeWithin = REMOVE_WITHIN_MS, beatEvery = BEAT_MS } = options;
  const ports = portsIn(directory);
  /** What this process runs. */
  const running = new Map<string, RunningProgram>();
  /** The commit that each was started with. */
  const offered = new Map<string, string | undefined>();
  /** Those in which this process runs a command. */
  const commanded = new Set<string>();
  /** What a program that has ended by itself printed last. */
  const words = new Map<string, string>();
  /** Whom it tells of that. */
  const listeners: (() => void)[] = [];

  const rootOf = (id: string) => join(directory, checkedInstanceId(id));
  const storedOf = async (id: string): Promise<Stored | undefined> => {
    const text = await readFile(join(rootOf(id), 'instance.json'), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as Stored);
  };
  const programOf = (version: string) => programs.find((one) => one.version === version);
  const placesOf = (id: string) => ({
    order: join(rootOf(id), 'order.json'),
    report: join(rootOf(id), 'report.json'),
    mails: join(rootOf(id), 'mails'),
    command: join(rootOf(id), 'command.json'),
  });
  const valuesOf = (id: string, { erpVersion, edition, database }: Stored, port: number) =>
    ({
      id,
      name: `guildhall-${id}`,
      port,
      database,
      version: erpVersion,
      edition,
      folder: join(rootOf(id), 'data'),
      ...placesOf(id),
    }) satisfies ProgramValues;

  const release = async (id: string) => {
    const program = running.get(id);
    running.delete(id);
    offered.delete(id);
    await program?.kill();
  };

  async function remove(id: string, stored: Stored): Promise<void> {
    const command = programOf(stored.erpVersion)?.remove;
    if (command === undefined) return;
    const values = valuesOf(id, stored, (await ports.of(id)) ?? 0);
    await mkdir(values.folder, { recursive: true });
    const log = join(rootOf(id), 'log');
    const program = await launchProgram(command, { values, password: undefined, log });
    const late = setTimeout(() => void program.kill(), removeWithin);
    const { code } = await program.exited;
    clearTimeout(late);
    if (code !== 0)
      throw new InstanceError('unavailable', `${command[0]} has not removed it. ${program.last()}`);
  }

  /** Runs a program in a place until it ends by itself, or by the signal. */
  async function toItsEnd(
    command: readonly string[],
    { id, password, ...stored }: InstanceSpec,
    { signal, onLog = () => {} }: { signal: AbortSignal; onLog?: (log: string) => void },
  ): Promise<{ code: number | null; log: string }> {
    const values = valuesOf(id, stored, 0);
    const log = join(rootOf(id), 'log');
    const program = await launchProgram(command, { values, password, log });
    running.set(id, program);
    const said = lastOutput(program.output, onLog);
    const end = () => void program.kill();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const { code } = await program.exited.finally(() => signal.removeEventListener('abort', end));
    running.delete(id);
    signal.throwIfAborted();
    return { code, log: said() };
  }

  const driver: InstanceDriver = {
    name: 'command',

    async create({ id, erpVersion, edition, database }) {
      if ((await storedOf(id)) === undefined) {
        await mkdir(join(rootOf(id), 'data'), { recursive: true, mode: 0o700 });
        // The user of its sandbox, if it has one, passes through it.
        await chmod(rootOf(id), 0o711);
        const file = join(rootOf(id), 'instance.json');
        // Complete or not there at all.
        await writeFile(`${file}.new`, JSON.stringify({ erpVersion, edition, database }));
        await rename(`${file}.new`, file);
      }
      return driver.find(id);
    },

    async find(id): Promise<InstanceStatus> {
      if ((await storedOf(id)) === undefined) return { id, state: 'absent', reason: undefined };
      const runs = running.has(id) || (await processesOf(markOfInstance(id))).length > 0;
      return { id, state: runs ? 'running' : 'stopped', reason: runs ? undefined : words.get(id) };
    },

    async start(spec) {
      const { id, password } = spec;
      const stored = await storedOf(id);
      if (stored === undefined) throw new InstanceError('absent', `there is no instance ${id}`);
      const commit = spec.code?.order.code?.commit;
      if (running.has(id) && offered.get(id) === commit) return;
      await release(id);
      const command = programOf(stored.erpVersion)?.start ?? [];
      if (command.length === 0)
        throw new InstanceError('failed', `no program runs version ${stored.erpVersion} here`);
      await endProcessesOf(markOfInstance(id));
      const port = await ports.reserve(id);
      const values = valuesOf(id, stored, port);
      const log = join(rootOf(id), 'log');
      await layOut(rootOf(id), placesOf(id), spec.code);
      const program = await launchProgram(command, { values, password, log });
      running.set(id, program);
      offered.set(id, commit);
      void program.exited.then(() => {
        if (running.get(id) !== program) return;
        running.delete(id);
        words.set(id, `Its program ended. ${program.last()}`.trim());
        for (const told of listeners) told();
      });
    },

    whenEnded: (told) => void listeners.push(told),

    async again(id, how) {
      const stored = await storedOf(id);
      await release(id);
      await endProcessesOf(markOfInstance(id));
      if (how === 'reset' && stored !== undefined) await remove(id, stored);
    },

    log: (id, secret) => readLog(join(rootOf(id), 'log'), secret),

    takeMails: (id) => takeMails(placesOf(id).mails),

    report: (id) => readReport(placesOf(checkedInstanceId(id)).report),

    async test(spec, options) {
      const { id } = spec;
      const command = programOf(spec.erpVersion)?.test;
      if (command === undefined) return undefined;
      await driver.create(spec);
      const endBeat = await beatIn(rootOf(id), beatEvery);
      try {
        await layOut(rootOf(id), placesOf(id), spec.code);
        const ended = await toItsEnd(command, spec, options);
        const { unavailable } = (await driver.report?.(id)) ?? {};
        if (unavailable === true)
          throw new InstanceError('unavailable', `${command[0]} could not run the tests of ${id}`);
        return { ...ended, root: WORK_TREE };
      } finally {
        endBeat();
      }
    },

    async prepare(spec, { signal, write }) {
      const { id, database } = spec;
      const command = programOf(spec.erpVersion)?.prepare;
      if (command === undefined) return undefined;
      await driver.create(spec);
      const file = join(rootOf(id), 'dump.zip');
      const endBeat = await beatIn(rootOf(id), beatEvery);
      try {
        await rm(file, { force: true });
        await write(file);
        const order = { project: '', demo: false, dump: { id, database, file } };
        await layOut(rootOf(id), placesOf(id), { order, fill: async () => {} });
        const { code, log } = await toItsEnd(command, spec, { signal });
        const { problem } = (await driver.report?.(id)) ?? {};
        if (code !== 0 && problem === undefined)
          throw new InstanceError(
            'failed',
            `${command[0]} has not prepared the dump ${id}. ${log.slice(-LAST_WORDS)}`,
          );
        return { problem };
      } finally {
        endBeat();
        await rm(file, { force: true });
      }
    },

    async run(spec, command, { signal }) {
      const { id, password } = spec;
      if (commanded.has(id)) throw new InstanceError('unavailable', `${id} runs a command already`);
      commanded.add(id);
      try {
        const stored = await storedOf(id);
        const program = stored && programOf(stored.erpVersion)?.run;
        if (stored === undefined || program === undefined) return undefined;
        const values = valuesOf(id, stored, 0);
        await writeFile(values.command, JSON.stringify(command), { mode: 0o600 });
        const log = join(rootOf(id), 'command-log');
        const running = await launchProgram(program, { values, password, log });
        const said = lastOutput(running.output, () => {});
        const end = () => void running.kill();
        signal.addEventListener('abort', end, { once: true });
        if (signal.aborted) end();
        const { code } = await running.exited;
        signal.removeEventListener('abort', end);
        signal.throwIfAborted();
        return { code, log: hiding([password])(said()) };
      } finally {
        commanded.delete(id);
      }
    },

    async url(id) {
      const port = await ports.of(checkedInstanceId(id));
      return port === undefined ? undefined : `http://127.0.0.1:${port}`;
    },

    async destroy(id) {
      const stored = await storedOf(id);
      await release(id);
      await endProcessesOf(markOfInstance(id));
      if (stored !== undefined) await remove(id, stored);
      await ports.release(id);
      await removeLargeTree(rootOf(id));
      words.delete(id);
    },

    async list() {
      const names = await readdir(directory).catch(() => []);
      return Promise.all(
        names
          .filter(isInstanceId)
          .map(async (id) => ({ ...(await found(id)), beat: await beatOf(rootOf(id)) })),
      );
    },

    release,

    async close() {
      await Promise.all([...running.keys()].map(release));
    },
  };

  /** Also one whose maker died before it was complete. */
  const found = async (id: string): Promise<InstanceStatus> => {
    const status = await driver.find(id);
    return status.state === 'absent' ? { ...status, state: 'stopped' } : status;
  };
  return driver;
}
