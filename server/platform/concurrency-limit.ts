/** Lets so many in at once; the others wait in queue. Who enters gets a function to leave with. */
export function concurrencyLimit(most: number): () => Promise<() => void> {
  let free = most;
  const queue: (() => void)[] = [];
  const leave = () => {
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    return leave;
  };
}
