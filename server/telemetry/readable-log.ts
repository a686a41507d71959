import type { DestinationStream } from 'pino';

/** The log as lines for people in a terminal. Elsewhere it is JSON lines (`log.ts`). */

const LEVELS: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: '',
  40: 'warning',
  50: 'error',
  60: 'error',
};

/** What every line has, or what a line for people says elsewhere. */
const LEFT_OUT = ['level', 'time', 'pid', 'hostname', 'msg', 'err'];

/** Takes JSON lines, and writes each as one for people. */
export const readable = (write: (text: string) => void): DestinationStream => ({
  write: (line) => write(`${asText(line)}\n`),
});

function asText(line: string): string {
  const entry: Record<string, unknown> = JSON.parse(line);
  const { level, time, msg, err } = entry;
  const said = msg === 'request' ? requestOf(entry) : [msg, ...fieldsOf(entry, LEFT_OUT)];
  const parts = [clock(Number(time)), LEVELS[Number(level)], ...said];
  const failure = err === undefined ? '' : `\n${failureOf(err, Number(level))}`;
  return parts.filter(Boolean).map(String).map(oneLine).join(' ') + failure;
}

/** The line that is written for each request, without the ids that a log is searched by. */
function requestOf({ method, route, status, ms, left }: Record<string, unknown>): string[] {
  const took = `${Math.round(Number(ms))} ms`;
  const gone = left === true ? ['(the caller has left)'] : [];
  return [String(method), String(route ?? '(no route)'), String(status), took, ...gone];
}

const fieldsOf = (entry: Record<string, unknown>, without: readonly string[]): string[] =>
  Object.entries(entry)
    .filter(([name]) => !without.includes(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);

/** An error: its message and, where it is one of the server, where it was thrown. */
function failureOf(err: unknown, level: number): string {
  const { message, stack } = Object(err) as { message?: unknown; stack?: unknown };
  const text = level >= 50 && typeof stack === 'string' ? stack : String(message ?? err);
  return text
    .split('\n')
    .map((line) => `  ${oneLine(line)}`)
    .join('\n');
}

const clock = (time: number): string => new Date(time).toTimeString().slice(0, 8);

/** Nothing that a terminal takes for a command. */
const oneLine = (text: string): string => text.replaceAll(/\p{C}+/gu, ' ').trimEnd();
