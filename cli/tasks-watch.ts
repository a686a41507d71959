import type { Command } from 'commander';
import type { Database } from '../server/db/database/database.ts';
import type { TaskEvent } from '../server/tasks/events/event-log.ts';
import type { TaskEvents } from '../server/tasks/events/task-events.ts';
import { showOperatedTask } from '../server/tasks/operate.ts';
import { type Cli, untilInterrupted, withEvents, withJson } from './command.ts';
import { eventData, eventLine } from './task-event.ts';
import { readTaskRef, type TaskRef, taskIdOf, unknownTask } from './task-ref.ts';
import { newest } from './tasks-show.ts';

const PAGE = 200;
const WAIT_MS = 25_000;

/** `guildhall tasks watch`: the events of a task as they happen. */
export function addWatch(tasks: Command, cli: Cli): void {
  withJson(tasks.command('watch'))
    .description(
      'print the newest events of a task, then each one as it happens, until a turn ends',
    )
    .argument('<task>', 'its id, or how that begins', readTaskRef)
    .addHelpText(
      'after',
      `
It ends with the turn at work or, if there is none, with the next one; Ctrl-C ends it earlier. With
--json, it prints one line of JSON for each event.`,
    )
    .action(async (ref: TaskRef, { json }: { json?: boolean }) => {
      const say = (sentence: string) => {
        if (!json) cli.stdout.write(`${sentence}\n`);
      };
      const tell = (event: TaskEvent) =>
        cli.stdout.write(`${json ? JSON.stringify(eventData(event)) : eventLine(event)}\n`);
      const watch = async (db: Database, events: TaskEvents, stop: AbortSignal) => {
        const id = await taskIdOf(db, ref);
        const task = await showOperatedTask(db, id);
        if (task === undefined) throw unknownTask(id);
        const told = await newest(events.log, id);
        for (const event of told) tell(event);
        if (task.turns.every(({ ended_at }) => ended_at !== null))
          say('No turn is at work: waiting for the next one. Press Ctrl-C to stop.');
        const after = told.at(-1)?.seq ?? 0;
        for await (const event of follow(events, id, after, stop)) tell(event);
        if (stop.aborted) say('Stopped watching. The task goes on.');
      };
      await untilInterrupted((stop) =>
        withEvents(cli.readConfig(), (db, events) => watch(db, events, stop)),
      );
    });
}

/** What follows an event of a task, up to the end of a turn. */
async function* follow(
  events: TaskEvents,
  taskId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<TaskEvent> {
  let position = after;
  while (!signal.aborted) {
    const found = await events.log.read(taskId, position, PAGE);
    for (const event of found) {
      yield event;
      position = event.seq;
      if (isEnd(event)) return;
    }
    if (found.length === 0) await events.wait(taskId, position, WAIT_MS, signal);
  }
}

/** A turn that was interrupted goes on, perhaps with another worker. */
const isEnd = ({ type, payload }: TaskEvent): boolean =>
  type === 'turn_ended' && JSON.parse(payload).state !== 'interrupted';
