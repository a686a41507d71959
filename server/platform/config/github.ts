import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { ReadSettings, Values } from './read-settings.ts';
import { type Reader, secretText, webAddress } from './readers.ts';
import { optional, setting } from './setting.ts';

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

const appId: Reader<number> = {
  parse: (value) => (/^[1-9]\d{0,14}$/.test(value) ? Number(value) : undefined),
  mustBe: 'the App ID that the settings of the GitHub App show',
};

const rsaKey: Reader<KeyObject> = {
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

/** The environment variables of GitHub. */
export const GITHUB_SETTINGS = {
  GITHUB_APP_ID: optional(
    appId,
    'connects this server to GitHub as this App ([GitHub](github.md)), together with the next two',
  ),
  GITHUB_APP_PRIVATE_KEY: optional(
    rsaKey,
    'the private key of the App as PEM, on several lines, or on one with `\\n` for line ends',
  ),
  GITHUB_WEBHOOK_SECRET: optional(
    secretText,
    'serves `POST /webhooks/github`, whose deliveries are signed with this secret of the App',
  ),
  GITHUB_API_URL: setting(
    webAddress,
    'https://api.github.com',
    'the API of GitHub; of an Enterprise Server `https://HOST/api/v3`',
  ),
};

/** The App, if its three settings are there. */
export function github(values: Values, faults: ReadSettings['faults']): GitHubApp | undefined {
  const {
    GITHUB_APP_ID: id,
    GITHUB_APP_PRIVATE_KEY: privateKey,
    GITHUB_WEBHOOK_SECRET: webhookSecret,
    GITHUB_API_URL: apiUrl,
  } = values;
  const given = { GITHUB_APP_ID: id, GITHUB_APP_PRIVATE_KEY: privateKey };
  const all = { ...given, GITHUB_WEBHOOK_SECRET: webhookSecret };
  const missing = Object.entries(all).filter(([, value]) => value === undefined);
  if (missing.length === 3) return undefined;
  if (id === undefined || privateKey === undefined || webhookSecret === undefined) {
    const names = missing.map(([name]) => name).join(' and ');
    // One that is there and unreadable has been reported already.
    if (!missing.every(([name]) => faults.some((fault) => fault.startsWith(`${name} `))))
      faults.push(`${names} must be set too: a GitHub App needs all three settings`);
    return undefined;
  }
  if (webhookSecret.length < 16)
    faults.push('GITHUB_WEBHOOK_SECRET must be at least 16 characters long');
  checkApiUrl(apiUrl, faults);
  return { id, privateKey, webhookSecret, apiUrl, webUrl: webUrlOf(apiUrl) };
}

/** Whether secrets may be sent to this address. Each fault is reported once. */
export function checkApiUrl(apiUrl: string, faults: ReadSettings['faults']): void {
  const { protocol, hostname, username, search, hash } = new URL(apiUrl);
  const report = (fault: string) => faults.includes(fault) || faults.push(fault);
  if (username || search || hash)
    report('GITHUB_API_URL must be an address without a login and without a query');
  if (protocol === 'http:' && !LOOPBACK.test(hostname))
    report('GITHUB_API_URL must begin with https://: tokens are sent there');
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** `https://api.github.com`: `https://github.com`; `https://ghe.example/api/v3`: without its path. */
export const webUrlOf = (apiUrl: string): string =>
  apiUrl.replace(/\/api\/v3$/, '').replace(/^(https:\/\/)api\./, '$1');
