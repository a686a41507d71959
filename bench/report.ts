import { cpus } from 'node:os';
import type pg from 'pg';
import { type Measured, type Spread, spread } from './measure.ts';
import type { Operation, OperationName } from './operations.ts';

/** Latencies of P below saturation, in milliseconds. */
export interface Tail {
  name: string;
  offered: string;
  perSecond: number;
  p50: number;
  p99: number;
}

/** One variant of one operation over all rounds. */
interface Variant {
  name: string;
  perSecond: Spread;
  /** Its throughput as a share of the best floor's in the same round. */
  toFloor: Spread | undefined;
  serverCpu: number | undefined;
  postgresCpu: number;
  p50: number | undefined;
  p99: number | undefined;
  errors: number;
  residentMb: number | undefined;
}

export interface OperationResult {
  name: OperationName;
  title: string;
  goal: number;
  variants: Variant[];
}

/** `measured`: per variant, one measurement per round, in the order of the rounds. */
export function summarize(
  operation: Operation,
  measured: Map<string, Measured[]>,
): OperationResult {
  const floors = [...measured].filter(([name]) => name.startsWith('floor'));
  const bestFloor = (round: number) =>
    Math.max(...floors.map(([, list]) => list[round]?.perSecond ?? 0));
  const variants = [...measured].map(([name, list]): Variant => {
    const median = (read: (one: Measured) => number | undefined) => {
      const values = list.map(read);
      return values[0] === undefined ? undefined : spread(values).median;
    };
    return {
      name,
      perSecond: spread(list.map(({ perSecond }) => perSecond)),
      toFloor:
        floors.length === 0
          ? undefined
          : spread(list.map(({ perSecond }, i) => perSecond / bestFloor(i))),
      serverCpu: median(({ serverCpu }) => serverCpu),
      postgresCpu: median(({ postgresCpu }) => postgresCpu) as number,
      p50: median(({ p50 }) => p50),
      p99: median(({ p99 }) => p99),
      errors: list.reduce((sum, { errors }) => sum + errors, 0),
      residentMb: median(({ residentMb }) => residentMb),
    };
  });
  return { name: operation.name, title: operation.title, goal: operation.goal, variants };
}

const number = (value: number | undefined, digits = 0) =>
  value === undefined ? '–' : value.toFixed(digits);

/** The whole result as a text table of Markdown. */
export function table(
  results: OperationResult[],
  tails: Tail[] | undefined,
  skipped: string[],
  { rounds, seconds }: { rounds: number; seconds: number },
): string {
  const model = cpus()[0]?.model.trim() ?? '';
  const lines = [
    `Node ${process.version}, ${cpus().length} × ${model}; ${rounds} rounds of ${seconds} s; medians, min–max in brackets.`,
    'CPU in microseconds a request; latency in milliseconds at saturation.',
  ];
  const head = [
    'variant',
    'requests/s',
    'of the floor',
    'server CPU',
    'PG CPU',
    'p50',
    'p99',
    'errors',
    'MB',
  ];
  for (const { name, title, goal, variants } of results) {
    lines.push('', `${name}: ${title}; goal ${goal.toFixed(2)} of the floor`, '');
    const rows = variants.map((variant) => [
      variant.name,
      `${number(variant.perSecond.median)} (${number(variant.perSecond.min)}–${number(variant.perSecond.max)})`,
      variant.toFloor === undefined
        ? '–'
        : `${number(variant.toFloor.median, 2)} (${number(variant.toFloor.min, 2)}–${number(variant.toFloor.max, 2)})`,
      number(variant.serverCpu),
      number(variant.postgresCpu),
      number(variant.p50, 1),
      number(variant.p99, 1),
      String(variant.errors),
      number(variant.residentMb),
    ]);
    lines.push(...aligned([head, ...rows]));
  }
  if (tails !== undefined) {
    lines.push('', 'P: latency away from saturation', '');
    const rows = tails.map((one) => [
      one.offered,
      number(one.perSecond),
      number(one.p50, 2),
      number(one.p99, 2),
    ]);
    lines.push(...aligned([['offered', 'requests/s', 'p50', 'p99'], ...rows]));
  }
  if (skipped.length > 0) lines.push('', ...skipped.map((line) => `Left out: ${line}`));
  return `${lines.join('\n')}\n`;
}

/** A result of PostgreSQL as a table, headed by the names of its columns. */
export async function tableOf(on: pg.Client, text: string, values: unknown[] = []) {
  const { fields, rows } = await on.query<unknown[]>({ text, values, rowMode: 'array' });
  const cells = rows.map((row) => row.map((value) => String(value ?? '–')));
  return ['', ...aligned([fields.map(({ name }) => name), ...cells])];
}

/** The lines of a table of Markdown, whose first row is its head. */
export function aligned(rows: string[][]): string[] {
  const widths = (rows[0] as string[]).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] as string).length)),
  );
  const [head, ...rest] = rows.map(
    (row) =>
      `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number))).join(' | ')} |`,
  );
  const rule = `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [head as string, rule, ...rest];
}

/**
 * The same as JSON: per operation, Guildhall's own figures and how many times slower each peer was.
 */
export function toJson(results: OperationResult[], tails: Tail[] | undefined) {
  const own = (result: OperationResult) =>
    result.variants.find(({ name }) => name === 'Guildhall') as Variant;
  return {
    operations: Object.fromEntries(
      results.map((result) => {
        const { toFloor, serverCpu, postgresCpu, p50, p99, errors, residentMb, perSecond } =
          own(result);
        const others = result.variants.filter(
          ({ name }) => name !== 'Guildhall' && !name.startsWith('floor'),
        );
        return [
          result.name,
          {
            ratio_to_floor: toFloor?.median,
            ratio_min: toFloor?.min,
            ratio_max: toFloor?.max,
            server_cpu_us: serverCpu,
            postgres_cpu_us: postgresCpu,
            p50_ms: p50,
            p99_ms: p99,
            errors,
            resident_mb: residentMb,
            peers: Object.fromEntries(
              others.map(({ name, perSecond: theirs }) => [
                name.toLowerCase().split(/\W/)[0],
                { times_slower: perSecond.median / theirs.median },
              ]),
            ),
          },
        ];
      }),
    ),
    tail: tails,
  };
}
