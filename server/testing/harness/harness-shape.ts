import type { Processor } from '../../billing/cards/processor.ts';
import type { openDatabase, Tx } from '../../db/database/database.ts';
import type { AskServer } from '../../erp/connections/probing.ts';
import type { Route } from '../../http/route.ts';
import type { signInRoutes } from '../../identity/sign-in/routes.ts';
import type { InviteLink } from '../../organizations/invitations/invite-link.ts';
import type { FileStore } from '../../platform/files/file-store.ts';
import type { OutgoingOptions } from '../../platform/outgoing/outgoing.ts';
import type { TaskEvents } from '../../tasks/events/task-events.ts';
import type { openMetrics } from '../../telemetry/metrics.ts';
import type { BeginRequest } from '../../telemetry/spans.ts';
import type { FakeGithub } from '../fakes/fake-github/fake.ts';
import type { Fixtures } from '../fixtures/tenants.ts';

/** An answer, with its body both as text and parsed. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever an answer holds.
  body: any;
}

export interface Call {
  key?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  /** Bytes to send instead of `body`. */
  raw?: Uint8Array | string;
}

/** A server on a database of its own, for one test file; closed after its tests. */
export interface Harness {
  url: string;
  databaseUrl: string;
  db: ReturnType<typeof openDatabase>;
  events: TaskEvents;
  metrics: ReturnType<typeof openMetrics>;
  fixtures: Fixtures;
  log: string[];
  routes: Route[];
  /** Those of operators, who are above tenants: the walks of tenants leave them out. */
  operatorRoutes: Route[];
  /** The paths of sign-in, which are not part of the API's table. */
  signInRoutes: ReturnType<typeof signInRoutes>;
  /** Where its files are. */
  files: FileStore;
  /** The link that the server makes for an invitation. */
  inviteLink: InviteLink;
  /** As it is mailed. */
  mailedInviteLink: InviteLink;
  /**
   * Sends a request over HTTP; fails when an operation answers a status or a body that it does not
   * declare.
   */
  request(method: string, path: string, request?: Call): Promise<Reply>;
  /** A digest of every row that a refused request must not change. */
  snapshot(): Promise<Record<string, string>>;
  /** Runs `work` and asserts that no row has changed. */
  unchanged<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Ends the server as a signal does. */
  shutdown(): Promise<void>;
  /** Where the repositories of projects are. */
  repositories: string;
  /** The fake GitHub, if there is one. */
  github?: FakeGithub | undefined;
  /** Runs one statement as the owner of the tables, beyond the server's permissions. */
  owner: Tx['many'];
}

/** What a test may change of its server. */
export interface HarnessOptions {
  /** For tests that look at more than they have made, or leave what others would stumble over. */
  own?: true;
  env?: Record<string, string>;
  processor?: (db: Harness['db']) => Processor;
  /** How long a request waits for the top-up it joined, in milliseconds. */
  waitAtMost?: number;
  /** Serves the processor's webhook with this signing secret. */
  webhookSecret?: string;
  /** Wraps the server's connection to its database. */
  through?: (databaseUrl: string) => Promise<string>;
  /** Another store of files than a folder of its own. */
  files?: FileStore;
  /** A migrated database to use instead of a new one; it is not dropped. */
  databaseUrl?: string;
  /** Called when an operation on tasks has changed something. */
  onTaskChange?: () => void;
  /** Where requests to ERP servers may go; without it, to servers on loopback alone. */
  outgoing?: OutgoingOptions;
  /** A fake GitHub that the server is connected to. */
  github?: FakeGithub;
  /** The folder of a built dashboard to serve. */
  dashboard?: string;
  /** What servers of connections to Odoo answer. */
  askOdoo?: AskServer;
  /** For which versions and editions dumps are prepared; without it, all. */
  erpsOfDumps?: readonly string[];
  /** Gets the spans of requests. */
  trace?: BeginRequest;
  /** Additional operations that belong to a test. */
  routes?: Route[];
}
