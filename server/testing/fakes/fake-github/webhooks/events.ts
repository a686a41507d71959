import { randomUUID } from 'node:crypto';
import { type Installation, type Repository, type State, visibleTo } from '../state.ts';
import type { EventName, GithubEvent, Payloads } from './payloads.ts';

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
