import { invalid, missing } from './failure.ts';
import type { Params } from './form.ts';

const PAGING = ['limit', 'starting_after', 'ending_before', 'created', 'expand'];
const RANGE: Record<string, (time: number, bound: number) => boolean> = {
  gt: (time, bound) => time > bound,
  gte: (time, bound) => time >= bound,
  lt: (time, bound) => time < bound,
  lte: (time, bound) => time <= bound,
};

/**
 * A page of a list, as Stripe cuts it: `limit` (1 to 100, default 10), `starting_after`,
 * `ending_before`, and `created` as a time or a range. `all`: newest first.
 */
export function page<Item extends { id: string; created: number }>(
  url: string,
  all: Item[],
  params: Params,
  known: readonly string[] = [],
): { object: 'list'; url: string; has_more: boolean; data: Item[] } {
  for (const name of Object.keys(params))
    if (!PAGING.includes(name) && !known.includes(name))
      throw invalid(`Received unknown parameter: ${name}`, name, 'parameter_unknown');
  const limit = Number(params.limit ?? 10);
  if (!(limit >= 1 && limit <= 100)) throw invalid('Limit must be between 1 and 100', 'limit');
  const found = all.filter(({ created }) => isWithin(created, params.created));
  const place = (id: Params[string]) => {
    const at = found.findIndex((one) => one.id === id);
    if (at < 0) throw missing('object', String(id), 'starting_after');
    return at;
  };
  const { starting_after: after, ending_before: before } = params;
  const end = before === undefined ? found.length : place(before);
  const start =
    before === undefined ? (after === undefined ? 0 : place(after) + 1) : Math.max(0, end - limit);
  const data = found.slice(start, Math.min(end, start + limit));
  const has_more = before === undefined ? start + limit < found.length : start > 0;
  return { object: 'list', url, has_more, data };
}

function isWithin(created: number, wanted: Params[string] | undefined): boolean {
  if (wanted === undefined) return true;
  if (typeof wanted === 'string') return created === Number(wanted);
  return Object.entries(wanted).every(([name, bound]) => {
    const holds = RANGE[name];
    if (holds === undefined || !/^\d+$/.test(String(bound)))
      throw invalid('Invalid integer', `created[${name}]`, 'parameter_invalid_integer');
    return holds(created, Number(bound));
  });
}
