import type { Credential } from './authenticate.ts';

/**
 * The user of each credential when the database last accepted it, so that a request can be counted
 * against its user before a statement runs. Bounded, and never a proof: every statement checks the
 * credential again.
 */
export class KnownUsers {
  readonly #users = new Map<string, string>();
  readonly #capacity: number;

  constructor(capacity = 10_000) {
    this.#capacity = capacity;
  }

  get(credential: Credential): string | undefined {
    return this.#users.get(nameOf(credential));
  }

  set(credential: Credential, userId: string): void {
    if (this.#users.size >= this.#capacity) this.#users.clear();
    this.#users.set(nameOf(credential), userId);
  }
}

const nameOf = ({ kind, hash }: Credential): string => kind + hash.toString('latin1');
