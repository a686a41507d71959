import { type Command, InvalidArgumentError } from 'commander';
import { parseUuid } from '../server/http/input/uuid.ts';
import { type ListedTask, type ListFilter, listOperatedTasks } from '../server/tasks/operate.ts';
import { TASK_STATUSES } from '../server/tasks/task-states.ts';
import { type Cli, table, withDatabase, withJson } from './command.ts';
import { age, printable } from './printable.ts';
import { addCancel } from './tasks-cancel.ts';
import { addShow } from './tasks-show.ts';
import { addWatch } from './tasks-watch.ts';

const LIMIT = 50;
const LARGEST_LIMIT = 1_000;
const STATUSES = [...TASK_STATUSES, 'any'] as const;

/** `guildhall tasks list | show | watch | cancel`: what agents do, in all workspaces. */
export function addTasks(program: Command, cli: Cli): void {
  const tasks = program
    .command('tasks')
    .usage('<command> [options]')
    .helpCommand(false)
    .description('list, show, watch and cancel the tasks of all workspaces');
  withJson(tasks.command('list'))
    .description('list tasks that run or wait to run, those that changed last first')
    .option('--status <status>', `tasks of another status: ${STATUSES.join(', ')}`, readStatus)
    .option('--workspace <id>', 'only tasks of this workspace', readUuid)
    .option(
      '--unchanged <time>',
      'only tasks unchanged for so long, such as 90s, 15m or 2h',
      readTime,
    )
    .option('--limit <count>', `how many at most, up to ${LARGEST_LIMIT}`, readLimit, LIMIT)
    .action(async (options: { json?: boolean; unchanged?: number } & ListFilter) => {
      const { json, unchanged, limit, status, workspace } = options;
      // One more than the page; if it is there, the list is not complete.
      const filter = { status, workspace, unchangedFor: unchanged, limit: limit + 1 };
      const found = await withDatabase(cli.readConfig(), (db) => listOperatedTasks(db, filter));
      const shown = found.slice(0, limit);
      const more = found.length > limit;
      cli.print(json, { tasks: shown.map(withoutNulls), more }, asText(shown, more));
    });
  addShow(tasks, cli);
  addWatch(tasks, cli);
  addCancel(tasks, cli);
}

const withoutNulls = (task: object) =>
  Object.fromEntries(Object.entries(task).filter(([, value]) => value !== null));

function asText(tasks: ListedTask[], more: boolean): string {
  if (tasks.length === 0)
    return 'There are no such tasks. `tasks list --status any` lists all of them.';
  const rows = tasks.map((task) => [
    task.id,
    task.status,
    age(Date.now() - task.updated_at.getTime()),
    task.turn === null ? '-' : `${task.turn.number} ${task.turn.kind} ${task.turn.state}`,
    task.spent,
    printable(task.workspace?.name ?? '-', 24),
    printable(task.title, 40),
  ]);
  const head = ['ID', 'STATUS', 'SINCE', 'TURN', 'USD', 'WORKSPACE', 'TITLE'];
  const rest = more ? '\n\nThere are more: raise --limit, or narrow the list.' : '';
  return table(head, rows) + rest;
}

function readStatus(text: string): (typeof STATUSES)[number] {
  const status = STATUSES.find((one) => one === text);
  if (status === undefined)
    throw new InvalidArgumentError(`It must be one of ${STATUSES.join(', ')}.`);
  return status;
}

function readUuid(text: string): string {
  const id = parseUuid(text);
  if (!id.ok) throw new InvalidArgumentError('It must be the id of a workspace, which is a UUID.');
  return id.uuid;
}

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function readTime(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined)
    throw new InvalidArgumentError('It must be a number and a unit, such as 90s, 15m, 2h or 3d.');
  return Number(count) * (UNITS[unit] as number);
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > LARGEST_LIMIT)
    throw new InvalidArgumentError(`It must be a number from 1 to ${LARGEST_LIMIT}.`);
  return limit;
}
