/** Which events a fake sends, how often and in what order. */
export interface Delivery {
  /** Event ids name an order of one's own, and only those are sent. */
  order?: 'oldest' | 'newest' | 'shuffled' | string[];
  /**
   * How often each is sent; default 1. The copies are spread by `order: 'shuffled'`, else they
   * follow one another.
   */
  duplicate?: number;
  /** Milliseconds before each. */
  delay?: number;
  /** Those that were answered 2xx once, too. */
  again?: boolean;
  types?: string[];
}

export function chosen<Event extends { id: string; type: string }>(
  events: Event[],
  delivered: ReadonlySet<string>,
  { order = 'oldest', duplicate = 1, again, types }: Delivery,
): Event[] {
  const wanted = Array.isArray(order)
    ? order.flatMap((id) => events.filter((event) => event.id === id))
    : events.filter(({ id }) => again || !delivered.has(id));
  const typed = wanted.filter(({ type }) => types === undefined || types.includes(type));
  if (order === 'newest') typed.reverse();
  const copies = typed.flatMap((event) => Array.from({ length: duplicate }, () => event));
  return order === 'shuffled' ? shuffle(copies) : copies;
}

function shuffle<T>(items: T[]): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [items[i], items[j]] = [items[j] as T, items[i] as T];
  }
  return items;
}
