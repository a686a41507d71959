import type { Delivery } from '../deliveries.ts';
import type { Fault, FaultKind } from './faults.ts';
import type { InstallationControls } from './installation-controls.ts';
import type { IssueControls } from './issue-controls.ts';
import type { Exhaustion } from './limits.ts';
import type { PeopleControls } from './people.ts';
import type { ReportControls } from './report-controls.ts';
import type { RepositoryControls } from './repository-controls.ts';
import type { ReviewControls } from './review-controls.ts';
import type { State } from './state.ts';
import type { Delivered, Signed } from './webhooks/deliver.ts';
import type { GithubEvent } from './webhooks/payloads.ts';

/**
 * A GitHub of one's own, with one App. Most of this can be done over HTTP as
 * well: `/_control/...` (control.ts).
 */
export interface FakeGithub
  extends InstallationControls,
    RepositoryControls,
    ReportControls,
    ReviewControls,
    IssueControls,
    PeopleControls,
    WebhookControls {
  /** For GITHUB_API_URL. With `/api/v3` after it, the addresses are those of an Enterprise server. */
  readonly url: string;
  readonly appId: number;
  /** PEM, PKCS #8. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly state: State;
  /** Every request to the API, in order of arrival. */
  readonly requests: Asked[];
  /** The faults that have not struck yet. */
  readonly faults: Fault[];
  fault(fault: Fault): void;
  clearFaults(): void;
  /** The rate limit of an installation is spent; that of the App itself has the number 0. */
  exhaust(installationId: number, how?: Exhaustion): void;
  close(): Promise<void>;
}

interface WebhookControls {
  webhook(url: string): void;
  /** Sends the events that were not accepted yet, or those that `delivery` names. */
  deliver(delivery?: Delivery): Promise<Delivered[]>;
  /** Sends each event once, as it happens; without an argument no more. */
  automatic(how?: Delivery): void;
  /** GitHub loses the next events: they are sent only if `deliver` names them. */
  loseEvents(number: number): void;
  /** A webhook to send by hand; `secret`: a wrong one. */
  sign(event: GithubEvent, secret?: string): Promise<Signed>;
}

/** `status` is what the endpoint answered; 0 if a fault kept it from being executed. */
export interface Asked {
  method: string;
  path: string;
  status: number;
  fault: FaultKind | undefined;
  /** What it says of the version of the API. */
  version: string | undefined;
}
