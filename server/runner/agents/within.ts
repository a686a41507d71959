/**
 * The result of `work`, unless `limit` milliseconds pass or `end` rejects first: then it rejects,
 * with an Error `timeout` or with that of `end`.
 */
export async function within<T>(work: Promise<T>, limit: number, end: Promise<never>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timeout')), limit);
  });
  end.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late, end]);
  } finally {
    clearTimeout(timer);
  }
}
