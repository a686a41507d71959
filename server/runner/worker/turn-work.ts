import type { Database } from '../../db/database/database.ts';
import type { EventLog } from '../../tasks/index.ts';
import { LostLease } from './lease.ts';
import type { TurnMoney } from './money.ts';
import { closeRequest, openRequest, readAnswers, withdrawRequest } from './requests.ts';
import { type Answer, type Question, TurnStopped, type TurnWork } from './runner.ts';
import type { RunningTurn } from './running-turn.ts';

const PAGE = 500;

/** What the runner of a turn may do for it. */
export function workOf(
  db: Database,
  entry: RunningTurn,
  { events, money }: { events: EventLog; money: TurnMoney },
): TurnWork & { settle(): Promise<void> } {
  const { turn, signal } = entry;

  const append: TurnWork['append'] = async (...added) => {
    if (entry.stopped === 'lost') throw new LostLease(turn);
    const ofTurn = added.map((event) => ({ ...event, turnId: turn.turnId }));
    await events.append(turn.taskId, turn.fence, ofTurn);
  };

  const appendOnce: TurnWork['appendOnce'] = async (event) => {
    if (turn.attempt > 1 && (await isThere(event))) return;
    await append(event);
  };

  async function isThere({ type, payload }: Parameters<TurnWork['appendOnce']>[0]) {
    for (let after = 0; ; ) {
      const page = await events.read(turn.taskId, after, PAGE);
      const same = page.some(
        (each) =>
          each.type === type &&
          each.turnId === turn.turnId &&
          JSON.parse(each.payload).id === payload.id,
      );
      const last = page.at(-1);
      if (same || last === undefined) return same;
      after = last.seq;
    }
  }

  async function ask(question: Question, needless?: AbortSignal): Promise<Answer> {
    const id = await openRequest(db, turn, question);
    await appendOnce({ type: 'request', payload: { id, ...question } });
    await append({ type: 'status', payload: { status: 'awaiting_answer' } });
    const answer = await answered(id, needless);
    if ('withdrawn' in answer) await withdrawRequest(db, turn, id);
    const status = await closeRequest(db, turn, id);
    await append(
      { type: 'request_answered', payload: { id, ...answer } },
      { type: 'status', payload: { status } },
    );
    return answer;
  }

  /** Rejects when the turn is stopped. */
  function answered(id: string, needless?: AbortSignal): Promise<Answer> {
    const over = new AbortController();
    const answer = new Promise<Answer>((resolve, reject) => {
      entry.asks(id, resolve);
      // It may have been answered before it was listed there; what fails is seen at the next poll.
      readAnswers(db, [id]).then(
        ([found]) => found && resolve(found.answer),
        () => {},
      );
      const stop = () => reject(signal.reason);
      const withdraw = () => resolve({ withdrawn: true });
      signal.addEventListener('abort', stop, { signal: over.signal });
      needless?.addEventListener('abort', withdraw, { signal: over.signal });
      if (signal.aborted) stop();
      else if (needless?.aborted) withdraw();
    });
    return answer.finally(() => {
      over.abort();
      entry.asksNoMore(id);
    });
  }

  /** Who cannot pay any more stops the turn, also when its runner does not wait for the charge. */
  const paid = <Result>(work: Promise<Result>) =>
    work.catch((error) => {
      if (error instanceof TurnStopped) entry.stop(error.reason, error.needed);
      throw error;
    });

  return {
    signal,
    append,
    appendOnce,
    ask,
    charge: (nano, counted, reserved) => paid(money.charge(nano, counted, reserved)),
    reserve: (least, most, needless) => paid(money.reserve(least, most, needless)),
    settle: () => paid(money.settle()),
  };
}
