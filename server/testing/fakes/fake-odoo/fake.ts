import type { Database, Server } from './state.ts';

/** What is wrong with the server, or with what stands in front of it. */
export interface Behaviour {
  postgresDown?: boolean;
  listDatabases?: boolean;
  /** As on Odoo's own hosting: see `Choosing`. */
  chosenByHost?: boolean;
  withoutAssets?: boolean;
  /** Milliseconds before each answer. */
  slow?: number;
  /** Every request is sent to the same path at `to`. */
  redirect?: { status: 301 | 302 | 307 | 308; to: string };
  /** Every request is answered 429, with these seconds in Retry-After. */
  rateLimited?: number;
  /** The beginnings of paths that are answered 403. */
  closed?: readonly string[];
  /** What a proxy answers while the server itself is down, or another server altogether. */
  instead?: { status: number; type?: string; body?: string };
}

/** The fake Odoo server. */
export interface FakeOdoo {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  /** The first database. */
  readonly database: Database;
  readonly requests: Asked[];
  /** The secrets of its users, by login. */
  password(login: string): string;
  /** The API keys, by name: `admin`, `admin_otherscope`, `clerk`, `portal`, `totp`, `expired` … */
  key(name: string): string;
  /** Changes what is wrong; what is not named stays. */
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

/** A request in order of arrival. `body` may hold a secret. */
export interface Asked {
  method: string;
  path: string;
  headers: Record<string, string | undefined>;
  body: string;
}
