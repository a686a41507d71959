import { SHORTEST_SECRET, type ValueHiding } from '../../telemetry/hide-secrets.ts';
import type { Chunks, Piece } from './chunks.ts';
import type { TurnWork } from './runner.ts';

/** What of a turn is hidden from people, and where. */

/** What the catalog calls the variables of an agent that hold a secret, such as API_KEY. */
const NAMES_A_SECRET = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$/i;

/**
 * The secrets that the agent of a turn has or that a server behind its gateways may repeat. Of its
 * environment, only variables that are named as secrets: the others hold words such as `production`.
 */
export function secretsOf(
  env: Readonly<Record<string, string>>,
  others: readonly (string | undefined)[],
): string[] {
  const named = Object.entries(env).flatMap(([name, value]) =>
    NAMES_A_SECRET.test(name) && !value.startsWith('/') ? [value] : [],
  );
  return [...named, ...others].filter(
    (value) => value !== undefined && value.length >= SHORTEST_SECRET,
  ) as string[];
}

/** The same chunks, with secrets hidden in what an agent writes, however it cuts its texts. */
export function hidingChunks(chunks: Chunks, hide: ValueHiding): Chunks {
  const pieces = hide.inPieces();
  let of: Piece | undefined;
  const show = (text: string) => {
    if (of !== undefined && text !== '') chunks.text({ ...of, text });
  };
  return {
    ...chunks,
    text(piece) {
      if (piece.type !== of?.type || piece.messageId !== of.messageId) show(pieces.end());
      of = piece;
      show(pieces.add(piece.text));
    },
    event(event) {
      show(pieces.end());
      chunks.event(event);
    },
    end() {
      show(pieces.end());
      return chunks.end();
    },
  };
}

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
