import { type BeginWork, untraced, within } from '../../telemetry/spans.ts';
import type { RunningTurn } from './running-turn.ts';

/**
 * The spans of one attempt at a turn: `claim`, `agent` and `end` below `turn`. They say which turn
 * it is and how it ended, and nothing of what people or agents wrote.
 */
interface TurnTrace {
  /** Without the statements: an agent may work for hours. */
  agent<Result>(work: () => Promise<Result>): Promise<Result>;
  /** With the statements that store the end. */
  end<Result>(work: () => Promise<Result>): Promise<Result>;
  close(result: string): void;
}

export function traceTurn(
  begin: BeginWork | undefined,
  { turn, claimedAt }: RunningTurn,
): TurnTrace {
  const since = new Date(performance.timeOrigin + claimedAt);
  const { turnId, taskId, kind, mode, attempt } = turn;
  const attributes = {
    'guildhall.task.id': taskId,
    'guildhall.turn.id': turnId,
    'guildhall.turn.kind': kind,
    'guildhall.turn.mode': mode,
    'guildhall.turn.attempt': attempt,
  };
  const span = begin?.('turn', attributes, since);
  span?.part('claim', since).end();

  async function phase<Result>(
    name: string,
    work: () => Promise<Result>,
    { statements }: { statements: boolean },
  ): Promise<Result> {
    const part = span?.part(name);
    if (part === undefined) return work();
    try {
      const result = await (statements ? within(part, work) : untraced(work));
      part.end();
      return result;
    } catch (error) {
      part.end({ failed: error instanceof Error ? error.constructor.name : 'error' });
      throw error;
    }
  }

  return {
    agent: (work) => phase('agent', work, { statements: false }),
    end: (work) => phase('end', work, { statements: true }),
    close: (result) =>
      span?.end({
        attributes: { 'guildhall.turn.result': result },
        failed: result === 'failed' || result === 'lost' ? result : undefined,
      }),
  };
}
