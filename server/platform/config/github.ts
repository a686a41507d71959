import { createPrivateKey, type KeyObject } from 'node:crypto';
import { isLoopback } from './loopback.ts';
import { type Reader, wholeNumber } from './readers.ts';
import type { Values } from './settings.ts';

/** The GitHub App of this installation. The key is opaque: printing it shows nothing. */
export interface GitHubApp {
  id: number;
  privateKey: KeyObject;
  webhookSecret: string;
  /** GitHub's API, without a trailing slash. */
  apiUrl: string;
  /** Where people and Git reach the same GitHub. */
  webUrl: string;
}

export const appId = wholeNumber(
  1,
  999_999_999_999_999,
  'the App ID that the settings of the GitHub App show',
);

export const rsaKey: Reader<KeyObject> = {
  parse: (value) => {
    try {
      const key = createPrivateKey(value.replaceAll('\\n', '\n'));
      const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
      return key.asymmetricKeyType === 'rsa' && modulusLength >= 2048 ? key : undefined;
    } catch {
      // Its message could quote the text.
      return undefined;
    }
  },
  mustBe: 'the private key of the GitHub App: a PEM file, on one line with \\n for line ends',
  secret: true,
};

/** The App, if its three settings are there. */
export function github(values: Values, faults: string[]): GitHubApp | undefined {
  const {
    GITHUB_APP_ID: id,
    GITHUB_APP_PRIVATE_KEY: privateKey,
    GITHUB_WEBHOOK_SECRET: webhookSecret,
    GITHUB_API_URL: apiUrl,
  } = values;
  const all = ['GITHUB_APP_ID', 'GITHUB_APP_PRIVATE_KEY', 'GITHUB_WEBHOOK_SECRET'] as const;
  const missing = all.filter((name) => values[name] === undefined);
  if (missing.length === 3) return undefined;
  if (id === undefined || privateKey === undefined || webhookSecret === undefined) {
    // One that is there and unreadable has been reported already.
    if (!missing.every((name) => faults.some((fault) => fault.startsWith(`${name} `))))
      faults.push(
        `${missing.join(' and ')} must be set too: a GitHub App needs all three settings`,
      );
    return undefined;
  }
  if (webhookSecret.length < 16)
    faults.push('GITHUB_WEBHOOK_SECRET must be at least 16 characters long');
  checkApiUrl(apiUrl, faults);
  return { id, privateKey, webhookSecret, apiUrl, webUrl: webUrlOf(apiUrl) };
}

/** Whether secrets may be sent to this address. Each fault is reported once. */
export function checkApiUrl(apiUrl: string, faults: string[]): void {
  const { protocol, hostname, username, search, hash } = new URL(apiUrl);
  const report = (fault: string) => faults.includes(fault) || faults.push(fault);
  if (username || search || hash)
    report('GITHUB_API_URL must be an address without a login and without a query');
  if (protocol === 'http:' && !isLoopback(hostname))
    report('GITHUB_API_URL must begin with https://: tokens are sent there');
}

/** `https://api.github.com`: `https://github.com`; `https://ghe.example/api/v3`: without its path. */
export const webUrlOf = (apiUrl: string): string =>
  apiUrl.replace(/\/api\/v3$/, '').replace(/^(https:\/\/)api\./, '$1');
