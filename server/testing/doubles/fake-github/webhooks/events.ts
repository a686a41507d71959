import { randomUUID } from 'node:crypto';
import { type Installation, type Repository, type State, visibleTo } from '../state.ts';
import type { Schema } from '../typed.ts';

/** Each kind of event, with its payloads as GitHub describes them. */
interface Payloads {
  installation:
    | Schema<'webhook-installation-created'>
    | Schema<'webhook-installation-deleted'>
    | Schema<'webhook-installation-new-permissions-accepted'>
    | Schema<'webhook-installation-suspend'>
    | Schema<'webhook-installation-unsuspend'>;
  installation_repositories:
    | Schema<'webhook-installation-repositories-added'>
    | Schema<'webhook-installation-repositories-removed'>;
  repository:
    | Schema<'webhook-repository-archived'>
    | Schema<'webhook-repository-deleted'>
    | Schema<'webhook-repository-renamed'>
    | Schema<'webhook-repository-transferred'>;
  pull_request:
    | Schema<'webhook-pull-request-opened'>
    | Schema<'webhook-pull-request-closed'>
    | Schema<'webhook-pull-request-reopened'>
    | Schema<'webhook-pull-request-edited'>
    | Schema<'webhook-pull-request-synchronize'>;
  push: Schema<'webhook-push'>;
  check_run: Schema<'webhook-check-run-created'> | Schema<'webhook-check-run-completed'>;
  check_suite: Schema<'webhook-check-suite-completed'>;
  status: Schema<'webhook-status'>;
  deployment: Schema<'webhook-deployment-created'>;
  deployment_status: Schema<'webhook-deployment-status-created'>;
}

export type EventName = keyof Payloads;

export interface GithubEvent {
  /** The header `X-GitHub-Delivery`. */
  id: string;
  /** The header `X-GitHub-Event`. */
  type: EventName;
  payload: Promise<Payloads[EventName]>;
}

/** An event of an installation, which is built at once. */
export function emit<Name extends EventName>(
  state: State,
  type: Name,
  payload: Payloads[Name] | Promise<Payloads[Name]>,
): void {
  const event: GithubEvent = { id: randomUUID(), type, payload: Promise.resolve(payload) };
  // Whoever sends it learns of the fault.
  event.payload.catch(() => undefined);
  state.events.push(event);
  state.onEvent(event);
}

/** Of something in a repository: each installation that can see it gets an event of its own. */
export function emitIn<Name extends EventName>(
  state: State,
  repository: Repository,
  type: Name,
  payload: (installation: Installation) => Payloads[Name] | Promise<Payloads[Name]>,
): void {
  for (const installation of state.installations.values())
    if (
      installation.suspendedAt === undefined &&
      visibleTo(state, installation).includes(repository)
    )
      emit(state, type, payload(installation));
}
