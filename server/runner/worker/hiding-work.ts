import type { ValueHiding } from '../../telemetry/hide-secrets.ts';
import type { TurnWork } from './runner.ts';

/** The same work of a turn, with secrets of its project hidden in all that it shows to people. */
export function hidingWork(work: TurnWork, hide: ValueHiding): TurnWork {
  return {
    ...work,
    append: (...events) => work.append(...events.map((event) => hideIn(event, hide))),
    appendOnce: (event) => work.appendOnce(hideIn(event, hide)),
    ask: async (question, signal) => {
      const answer = await work.ask(hideIn(question, hide), signal);
      if (!('optionId' in answer)) return answer;
      // The agent knows the option by the id that it has given.
      const chosen = question.options.find(({ id }) => hide(id) === answer.optionId);
      return chosen === undefined ? answer : { optionId: chosen.id };
    },
  };
}

/** A value of JSON with secrets hidden in its texts. */
function hideIn<Value>(value: Value, hide: ValueHiding): Value {
  const hidden = (part: unknown): unknown => {
    if (typeof part === 'string') return hide(part);
    if (Array.isArray(part)) return part.map(hidden);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, of]) => [name, hidden(of)]));
  };
  return hidden(value) as Value;
}
