/** GitHub's pages: `per_page` of at most 100, default 30; `page` from 1. */
interface Page<Item> {
  items: Item[];
  headers: Record<string, string>;
}

/** `self`: the address of the list, without a query. */
export function pageOf<Item>(all: Item[], query: URLSearchParams, self: string): Page<Item> {
  const perPage = within(query.get('per_page'), 30, 100);
  const page = within(query.get('page'), 1, Number.MAX_SAFE_INTEGER);
  const last = Math.max(1, Math.ceil(all.length / perPage));
  const to = (number: number, rel: string): string => {
    const target = new URLSearchParams(query);
    target.set('page', String(number));
    return `<${self}?${target}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [to(Math.min(page - 1, last), 'prev')] : []),
    ...(page < last ? [to(page + 1, 'next'), to(last, 'last')] : []),
    ...(page > 1 ? [to(1, 'first')] : []),
  ];
  return {
    items: all.slice((page - 1) * perPage, page * perPage),
    headers: links.length > 0 ? { link: links.join(', ') } : {},
  };
}

/** What is no such number counts as the default. */
function within(text: string | null, standard: number, most: number): number {
  const value = Number(text ?? Number.NaN);
  return Number.isInteger(value) && value > 0 ? Math.min(value, most) : standard;
}
