import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Sent } from '../server/testing/database/statements.ts';

/**
 * Whether `pgbench` is installed. Without it the floors are omitted, because no other client is as
 * small.
 */
export const pgbenchVersion = (): string | undefined => {
  const { stdout, status } = spawnSync('pgbench', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

export const FLOOR_CLIENTS = 8;

/**
 * The server's own statements as one script for pgbench. `requests`: how many requests one run of
 * the script stands for.
 */
export interface Floor {
  script: string;
  requests: number;
}

/**
 * The floor of recorded requests: client n repeats those of the nth list. The values in which the
 * lists differ are assigned to variables once, so that PostgreSQL plans each statement once per
 * client and receives what the server sends.
 */
export function plainFloor(lists: Sent[][][]): Floor {
  const flat = lists.slice(0, FLOOR_CLIENTS).map((list) => list.flat());
  const { script, variables } = template(flat);
  return {
    script: `${chooseByClient(variables)}${script}`,
    requests: (lists[0] as Sent[][]).length,
  };
}

/**
 * A floor of first approvals: the recorded statement on a different task each time. The task and
 * its owner's key are found by number in `bench_task`, which takes two lookups more than the server
 * needs.
 */
export function freshApprovals(sample: Sent[], taskId: string, each: number): Floor {
  const ofTask = (column: string) =>
    `(select ${column} from bench_task where n = :first + :client_id * ${each} + :i)`;
  const hash = sample.flatMap(({ values }) => values).find((value) => Buffer.isBuffer(value));
  const { script } = template([sample]);
  const bound = script
    .replaceAll(literal(taskId), ofTask('id'))
    .replaceAll(literal(hash), ofTask('secret_hash'));
  return { script: `\\set i :i + 1\n${bound}`, requests: 1 };
}

/**
 * A floor of top-ups: the recorded statements of each request with ids of this run in place of the
 * recorded ones. The database generates the id of a top-up, so its insert is read back; the rest
 * follows from it.
 */
export function topUpFloor(recorded: Sent[][]): Floor {
  const ownIds = recorded.slice(0, FLOOR_CLIENTS).map((sent) => {
    const find = (part: string) => sent.find(({ text }) => text.includes(part)) as Sent;
    const topUpId = String(find('insert into ledger_transfer').values.at(-1));
    const intentId = String(find('insert into sandbox_intent').values[0]);
    const amount = String(find('insert into top_up').values[5]);
    const rename = (value: unknown) =>
      typeof value === 'string'
        ? value.replaceAll(topUpId, TOP_UP).replaceAll(intentId, `pi_sandbox_${TOP_UP}`)
        : String(value) === amount
          ? AMOUNT
          : value;
    return sent.map((one) => ({ ...one, values: one.values.map(rename) }));
  });
  const { script, variables } = template(ownIds, ({ text }) =>
    text.includes('insert into top_up') ? '\\gset t_' : ';',
  );
  const renamed = script
    .replaceAll(`'${TOP_UP}'`, ':t_id')
    .replaceAll(TOP_UP, "'||:t_id||'")
    .replaceAll(`'${AMOUNT}'`, ':amount');
  return {
    script: `${chooseByClient(variables)}\\set amount random(100, 90000) * 10000\n${renamed}`,
    requests: 1,
  };
}

const TOP_UP = '@top_up@';
const AMOUNT = '@amount@';

/**
 * Values in which the lists differ become variables; `variables` has the values of each per list.
 */
function template(lists: Sent[][], end: (statement: Sent) => string = () => ';') {
  const variables: string[][] = [];
  const script = (lists[0] as Sent[])
    .map((statement, at) => {
      const text = statement.text.replaceAll(/\$(\d+)/g, (_, n) => {
        const values = lists.map((list) => literal(list[at]?.values[Number(n) - 1]));
        if (values.every((value) => value === values[0])) return values[0] as string;
        variables.push(values);
        return `@v${variables.length - 1}@`;
      });
      // pgbench would take a colon inside a text for a variable.
      const escaped = escapeColons(text).replaceAll(/@(v\d+)@/g, ':$1');
      return `${escaped.replaceAll(/\n\s*\n/g, '\n').trim()}\n${end(statement)}\n`;
    })
    .join('');
  return { script, variables };
}

function chooseByClient(variables: string[][]): string {
  if (variables.length === 0) return '';
  const clients = (variables[0] as string[]).map((_, client) => {
    const columns = variables.map(
      (values, i) => `${escapeColons(values[client] as string)} as v${i}`,
    );
    return `\\${client === 0 ? 'if' : 'elif'} :client_id % ${FLOOR_CLIENTS} = ${client}\nselect ${columns.join(', ')}\n\\gset\n`;
  });
  return `\\if :ready = 0\n${clients.join('')}\\endif\n\\set ready 1\n\\endif\n`;
}

const escapeColons = (text: string) => text.replaceAll(/(?<!:):(?=\w)/g, "'||chr(58)||'");

export interface FloorResult {
  perSecond: number;
  requests: number;
}

/**
 * Runs a floor for `seconds`, or with `each` transactions per client. Throws with pgbench's own
 * message if one failed.
 */
export async function runFloor(
  databaseUrl: string,
  { script, requests }: Floor,
  options: { clients: number; seconds?: number; each?: number; variables?: Record<string, number> },
): Promise<FloorResult> {
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-bench-'));
  try {
    const file = join(directory, 'floor.sql');
    await writeFile(file, script);
    const child = spawn(
      'pgbench',
      [
        '-n',
        '-M',
        'prepared',
        '-j',
        '2',
        '-c',
        String(options.clients),
        ...(options.seconds === undefined
          ? ['-t', String(options.each)]
          : ['-T', String(options.seconds)]),
        ...Object.entries({ ready: 0, ...options.variables }).flatMap(([name, value]) => [
          '-D',
          `${name}=${value}`,
        ]),
        '-f',
        file,
        databaseUrl,
      ],
      {
        // The settings that the server uses (server/db/database/session.ts).
        env: {
          ...process.env,
          PGOPTIONS:
            '-c role=guildhall_app -c timezone=UTC -c plan_cache_mode=force_generic_plan -c ' +
            'random_page_cost=1.1 -c jit=off',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const perSecond = Number(/^tps = ([\d.]+) \(without/m.exec(out)?.[1]);
    const transactions = Number(
      /^number of transactions actually processed: (\d+)/m.exec(out)?.[1],
    );
    if (!(perSecond > 0) || /error|aborted/i.test(err))
      throw new Error(`pgbench: ${err.slice(0, 2000)}`);
    return { perSecond: perSecond * requests, requests: transactions * requests };
  } finally {
    await rm(directory, { recursive: true });
  }
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
  if (Array.isArray(value))
    return `'{${value.map((item) => JSON.stringify(String(item))).join(',')}}'`;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const quoted = `'${text.replaceAll("'", "''")}'`;
  // A cast may follow, which binds more tightly than the concatenation.
  return quoted.includes(':') ? `(${quoted.replaceAll(':', "'||chr(58)||'")})` : quoted;
}
