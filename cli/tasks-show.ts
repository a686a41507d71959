import type { Command } from 'commander';
import type { TaskEvent } from '../server/tasks/events/event-log.ts';
import type { OpenedEventLog } from '../server/tasks/events/open-event-log.ts';
import { type ShownTask, showOperatedTask } from '../server/tasks/operate.ts';
import { type Cli, table, withEvents, withJson } from './command.ts';
import { age, printable } from './printable.ts';
import { eventData, eventLine } from './task-event.ts';
import { readTaskRef, type TaskRef, taskIdOf, unknownTask } from './task-ref.ts';

const EVENTS = 20;

/** `guildhall tasks show`: one task, with its turns, pod, costs and newest events. */
export function addShow(tasks: Command, cli: Cli): void {
  withJson(tasks.command('show'))
    .description('show a task with its turns, its pods, what it costs, and its newest events')
    .argument('<task>', 'its id, or how that begins', readTaskRef)
    .action(async (ref: TaskRef, { json }: { json?: boolean }) => {
      const { task, events } = await withEvents(cli.readConfig(), async (db, { log }) => {
        const id = await taskIdOf(db, ref);
        const shown = await showOperatedTask(db, id);
        if (shown === undefined) throw unknownTask(id);
        return { task: shown, events: await newest(log, id) };
      });
      cli.print(json, { ...task, events: events.map(eventData) }, asText(task, events));
    });
}

/** The newest events of a task, oldest first. */
export async function newest(
  log: Pick<OpenedEventLog, 'head' | 'read'>,
  taskId: string,
): Promise<TaskEvent[]> {
  const { last } = await log.head(taskId);
  return log.read(taskId, Math.max(0, last - EVENTS), EVENTS);
}

const since = (time: string | Date) => age(Date.now() - new Date(time).getTime());

function asText(task: ShownTask, events: TaskEvent[]): string {
  const { workspace, project, pods, requests, turns } = task;
  const cap = task.spend_cap === null ? '' : ` of ${task.spend_cap}`;
  const facts = [
    ['Task', task.id],
    ['Title', printable(task.title)],
    ['Status', [task.status, task.status_reason].filter(Boolean).map(String).join(': ')],
    ['Since', since(task.updated_at)],
    ['Workspace', workspace === null ? '-' : `${printable(workspace.name)} (${workspace.id})`],
    ['Project', `${printable(project.name)} (${project.id})`],
    ['USD', `${task.spent}${cap}, ${task.held} held`],
    ...pods.map((pod) => [
      'Pod',
      [pod.id, pod.driver, pod.state, pod.reason].filter(Boolean).join(', '),
    ]),
    ...requests.map(({ title, created_at }) => [
      'Asks',
      `${printable(title)} (for ${since(created_at)})`,
    ]),
  ].map(([name = '', value]) => `${name.padEnd(10)}${value}`);
  const rows = turns.map((turn) => [
    String(turn.number),
    turn.kind,
    turn.state + (turn.cancel_requested_at !== null && turn.ended_at === null ? ', to stop' : ''),
    String(turn.attempt),
    String(turn.losses),
    turn.worker === null ? '-' : printable(turn.worker, 40),
    turn.lease_until === null ? '-' : leaseOf(turn.lease_until),
    turn.spent,
    printable(turn.error ?? '-', 60),
  ]);
  const head = ['TURN', 'KIND', 'STATE', 'ATTEMPTS', 'LOST', 'WORKER', 'LEASE', 'USD', 'ERROR'];
  const parts = [
    facts.join('\n'),
    rows.length === 0 ? 'It has no turns.' : table(head, rows),
    events.length === 0 ? 'It has no events.' : events.map(eventLine).join('\n'),
  ];
  return parts.join('\n\n');
}

function leaseOf(until: string): string {
  const left = new Date(until).getTime() - Date.now();
  return left > 0 ? age(left) : `over for ${age(-left)}`;
}
