interface LeaseOptions {
  /** Keeps the work for as long again. Rejects with the reason once it is not this worker's any more. */
  renew(): Promise<void>;
  /** Whether an error of `renew` says so; otherwise the database does not answer, perhaps for a moment. */
  isLost(error: unknown): boolean;
  /** The reason when it was not renewed for `silence` milliseconds. */
  expired(): Error;
  /** Milliseconds between two renewals. */
  every: number;
  silence: number;
  /** Since when it is held, by `performance.now()`: before the statement that took it was sent. */
  since?: number;
}

/** Keeps a lease until `end`. `lost` is aborted when others may do the work, or no one has to. */
export function keepLease({
  renew,
  isLost,
  expired,
  every,
  silence,
  since = performance.now(),
}: LeaseOptions) {
  const lost = new AbortController();
  let renewedAt = since;
  let renewing: Promise<void> | undefined;
  const beat = () => {
    // This process, too, may have been asleep.
    if (performance.now() - renewedAt > silence) lost.abort(expired());
    if (renewing !== undefined || lost.signal.aborted) return;
    const asked = performance.now();
    renewing = renew()
      .then(
        () => {
          renewedAt = asked;
        },
        (error) => {
          if (isLost(error)) lost.abort(error);
        },
      )
      .finally(() => {
        renewing = undefined;
      });
  };
  const timer = setInterval(beat, every);
  return {
    lost: lost.signal,
    async end() {
      clearInterval(timer);
      await renewing;
    },
  };
}
