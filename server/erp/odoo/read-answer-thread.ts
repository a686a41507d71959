import { serve } from '../../platform/threads/serve.ts';
import type { Forms, Reading } from './read-answer.ts';
import { decodeAnswer, type Value } from './xml-rpc.ts';

/** Reads the answers of servers that are asked, in a thread of its own. */

/** What the other side takes over is copied there, so it is bounded; no answer needs as much. */
const MOST_VALUES = 50_000;

const READ: { [Form in keyof Forms]: (text: string) => Forms[Form] } = {
  xmlRpc: decodeAnswer,
  json: (text) => {
    const value = JSON.parse(text) as Value;
    if (!hasAtMost(MOST_VALUES, value)) throw new Error('too many values');
    return value;
  },
};

serve(({ form, body }: Reading) => {
  try {
    return READ[form](Buffer.from(body).toString());
  } catch {
    return undefined;
  }
});

function hasAtMost(most: number, value: Value): boolean {
  const left = [value];
  for (let count = 0; count + left.length <= most; count += 1) {
    const next = left.pop();
    if (next === undefined) return true;
    if (typeof next !== 'object' || next === null) continue;
    for (const each of Object.values(next)) left.push(each);
  }
  return false;
}
