import { fileVariable } from './secret-files.ts';
import { SECRET_SETTINGS, SETTINGS } from './settings.ts';

// No other program uses these prefixes, so every unknown name is a mistake: it would silently leave
// a limit at its default.
const OURS =
  /^(RATE_LIMIT|TOP_UP|TRUSTED_PROX|SHUTDOWN_|MAX_CONCURRENT_|MAX_CONNECTIONS|REQUEST_TIMEOUT)/;
// Hosting platforms, Kubernetes and the tools of Stripe set variables that begin like these.
const SHARED = /^(DATABASE_|STRIPE_|METRICS_|GUILDHALL_|SMTP_|MAIL_)/;
const IGNORED = /^(OTEL_|GUILDHALL_TEST_)/;

/**
 * Names of the environment that are no settings although they look like it. A misspelled setting is
 * a fault. A name that only begins like a setting, or that is given beside the setting it
 * resembles, may be another program's: a warning.
 */
export function unknownNames(env: Record<string, string | undefined>): {
  faults: string[];
  warnings: string[];
} {
  const faults: string[] = [];
  const warnings: string[] = [];
  for (const name of Object.keys(env)) {
    if (KNOWN.has(name) || IGNORED.test(name)) continue;
    const meant = OURS.test(name) ? nearest(name, NAMES) : resembled(name);
    // Other programs have settings like LOGLEVEL, so a name that resembles a short one is no reason
    // not to start.
    if (meant !== undefined && (OURS.test(name) || (meant.length >= 10 && !env[meant])))
      faults.push(`${name} is not a setting: did you mean ${meant}?`);
    else if (meant !== undefined || SHARED.test(name))
      warnings.push(`${name} is not a setting of Guildhall and is ignored`);
  }
  return { faults, warnings };
}

const KNOWN = new Set([...Object.keys(SETTINGS), ...SECRET_SETTINGS.map(fileVariable)]);
const NAMES = [...KNOWN].filter((name) => !IGNORED.test(name));

/** The setting that differs from this name by one character, or by two if it is long. */
function resembled(name: string): string | undefined {
  const candidates = NAMES.filter(
    (one) =>
      one.length >= 8 &&
      Math.abs(one.length - name.length) <= 2 &&
      // Spares most variables the comparison at every start. A slip is rarely at both ends.
      (one.slice(0, 3) === name.slice(0, 3) || one.slice(-3) === name.slice(-3)),
  );
  const known = nearest(name, candidates);
  const tolerated = known !== undefined && known.length >= 12 ? 2 : 1;
  return known !== undefined && editDistance(name, known) <= tolerated ? known : undefined;
}

function nearest(name: string, candidates: string[]): string | undefined {
  const all = candidates.map((known) => ({ known, distance: editDistance(name, known) }));
  return all.sort((a, b) => a.distance - b.distance)[0]?.known;
}

/** How many characters must be inserted, deleted, replaced or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  const at = (i: number, j: number) => rows[i]?.[j] ?? j;
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swaps = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = swaps ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      (rows[i] as number[])[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped);
    }
  return at(a.length, b.length);
}
