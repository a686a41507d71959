import { randomBytes } from 'node:crypto';

export interface Account {
  id: number;
  login: string;
  type: 'User' | 'Organization';
}

/** Someone with an account at GitHub, and what only they may see of it. */
export interface Person {
  account: Account;
  name: string | null;
  emails: { email: string; primary: boolean; verified: boolean }[];
  /** Logins of the organizations that they own, whose installations they can reach. */
  organizations: Set<string>;
  /** Ids of further repositories that they can read. */
  reads: Set<number>;
}

/** A person has allowed the App to act for them; the code is exchanged once. */
interface Code {
  person: Person;
  redirectUri: string;
  challenge: string | undefined;
  expiresAt: number;
}

/** People, and what the App is set up with for them. */
export interface People {
  all: Map<string, Person>;
  /** Who sits at the browser; undefined before they have signed in. */
  current: Person | undefined;
  /** They refuse the next question. */
  denies: boolean;
  codes: Map<string, Code>;
  tokens: Map<string, Person>;
  clientId: string;
  clientSecret: string;
  /** Where the App lets browsers go; undefined for anywhere. */
  callbackUrls: string[] | undefined;
  /** Where a browser goes after the App was installed. */
  setupUrl: string | undefined;
}

export const newPeople = (): People => ({
  all: new Map(),
  current: undefined,
  denies: false,
  codes: new Map(),
  tokens: new Map(),
  clientId: `Iv1.${randomBytes(8).toString('hex')}`,
  clientSecret: randomBytes(20).toString('hex'),
  callbackUrls: undefined,
  setupUrl: undefined,
});
