import { SHORTEST_SECRET } from '../../telemetry/hide-secrets.ts';

/** What the catalog calls the variables of an agent that hold a secret, such as API_KEY. */
const NAMES_A_SECRET = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)$/i;

/**
 * The secrets that the agent of a turn has or that a server behind its gateways may repeat. Of its
 * environment, only variables that are named as secrets: the others hold words such as `production`.
 */
export function secretsOf(
  env: Readonly<Record<string, string>>,
  others: readonly (string | undefined)[],
): string[] {
  const named = Object.entries(env).flatMap(([name, value]) =>
    NAMES_A_SECRET.test(name) && !value.startsWith('/') ? [value] : [],
  );
  return [...named, ...others].filter(
    (value) => value !== undefined && value.length >= SHORTEST_SECRET,
  ) as string[];
}
