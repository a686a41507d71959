import type { KeyObject } from 'node:crypto';
import { isLoopback } from './loopback.ts';
import type { Values } from './settings.ts';

interface GitHubAddresses {
  /** GitHub's API, without a trailing slash. */
  apiUrl: string;
  /** Where people and Git reach the same GitHub. */
  webUrl: string;
}

/** The GitHub App of this installation. The key is opaque: printing it shows nothing. */
export interface GitHubApp extends GitHubAddresses {
  id: number;
  privateKey: KeyObject;
  webhookSecret: string;
}

/** The client of a GitHub App, or of an OAuth App, with which people sign in. */
export interface GithubOauth extends GitHubAddresses {
  clientId: string;
  clientSecret: string;
}

/** The App, if its three settings are there. */
export function github(values: Values, faults: string[]): GitHubApp | undefined {
  const {
    GITHUB_APP_ID: id,
    GITHUB_APP_PRIVATE_KEY: privateKey,
    GITHUB_WEBHOOK_SECRET: webhookSecret,
  } = values;
  const all = ['GITHUB_APP_ID', 'GITHUB_APP_PRIVATE_KEY', 'GITHUB_WEBHOOK_SECRET'] as const;
  const missing = all.filter((name) => values[name] === undefined);
  if (missing.length === 3) return undefined;
  if (id === undefined || privateKey === undefined || webhookSecret === undefined) {
    // One that is there and unreadable has been reported already.
    if (!missing.every((name) => faults.some((fault) => fault.startsWith(name))))
      faults.push(
        `${missing.join(' and ')} must be set too: a GitHub App needs all three settings`,
      );
    return undefined;
  }
  if (webhookSecret.length < 16)
    faults.push('GITHUB_WEBHOOK_SECRET must be at least 16 characters long');
  return { id, privateKey, webhookSecret, ...addresses(values, faults) };
}

/** What people sign in with at GitHub, if both of its settings are there. */
export function githubOauth(values: Values, faults: string[]): GithubOauth | undefined {
  const { GITHUB_OAUTH_CLIENT_ID: clientId, GITHUB_OAUTH_CLIENT_SECRET: clientSecret } = values;
  if (clientId !== undefined && clientSecret !== undefined)
    return { clientId, clientSecret, ...addresses(values, faults) };
  if (clientId !== undefined || clientSecret !== undefined)
    faults.push(
      `GITHUB_OAUTH_CLIENT_${clientId === undefined ? 'ID' : 'SECRET'} must be set too: ` +
        'signing in with GitHub needs both',
    );
  return undefined;
}

/** Secrets are sent there. Each fault is reported once. */
function addresses({ GITHUB_API_URL: apiUrl }: Values, faults: string[]): GitHubAddresses {
  const { protocol, hostname, username, search, hash } = new URL(apiUrl);
  const report = (fault: string) => faults.includes(fault) || faults.push(fault);
  if (username || search || hash)
    report('GITHUB_API_URL must be an address without a login and without a query');
  if (protocol === 'http:' && !isLoopback(hostname))
    report('GITHUB_API_URL must begin with https://: tokens are sent there');
  // Of GitHub itself another host, of an Enterprise Server without its path.
  const webUrl = apiUrl.replace(/\/api\/v3$/, '').replace(/^(https:\/\/)api\./, '$1');
  return { apiUrl, webUrl };
}
