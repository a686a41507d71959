import type { KeyObject } from 'node:crypto';

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
