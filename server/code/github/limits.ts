/**
 * Until when GitHub may not be asked, by installation; 0 stands for the App itself, whose limit is
 * its own.
 */
export interface RateLimits {
  /** Undefined if it may be asked now. */
  until(installationId: number): Promise<Date | undefined>;
  /**
   * GitHub has refused a call. If it named no time, each refusal in a row is waited for longer.
   * Returns until when.
   */
  refused(installationId: number, until: Date, guessed?: boolean): Promise<Date>;
  /** GitHub has answered the last call of its limit. */
  exhausted(installationId: number, until: Date): Promise<void>;
}

/** For one process, and for commands: a server shares them through the database. */
export function limitsInMemory(): RateLimits {
  const known = new Map<number, Date>();
  const later = (id: number, until: Date): Date => {
    const latest = new Date(Math.max(until.getTime(), known.get(id)?.getTime() ?? 0));
    known.set(id, latest);
    return latest;
  };
  return {
    until: async (id) => {
      const until = known.get(id);
      return until !== undefined && until.getTime() > Date.now() ? until : undefined;
    },
    refused: async (id, until) => later(id, until),
    exhausted: async (id, until) => void later(id, until),
  };
}
