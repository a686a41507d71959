/**
 * Does one after the other, and the rest also where one has failed. Then throws what failed: an
 * AggregateError where that is more than one.
 */
export async function eachOf(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error) => failures.push(error));
  if (failures.length > 1)
    throw new AggregateError(failures, failures.map((error) => String(error)).join('; '));
  if (failures.length > 0) throw failures[0];
}
