interface Seen {
  /** Whether all pods were. */
  confined: boolean | null;
  /** Requests to the registry that proxies have counted. */
  counted: Record<string, number>;
  /** What the branch has, by path. */
  merged: Record<string, string | undefined>;
  /** Requests that the registry has got. */
  asked: number;
}

/** What is not as it should be after a merge, as a sentence. */
export function doubtOf({ confined, counted, merged, asked }: Seen): string | undefined {
  const lost = Object.keys(merged).filter((path) => merged[path] === undefined);
  if (lost.length > 0) return `What was merged does not have ${lost.join(' and ')}.`;
  // In a pod that is not confined, programs may pass by the proxy.
  const without = ['setup', 'checks'].filter((purpose) => !counted[purpose]);
  if (confined === true && without.length > 0)
    return `Nothing was installed through the proxy for ${without.join(' and ')}.`;
  const all = Object.values(counted).reduce((sum, requests) => sum + requests, 0);
  if (confined === true && all !== asked)
    return `The registry was asked ${asked} times, and the proxies have counted ${all} requests.`;
  return undefined;
}
