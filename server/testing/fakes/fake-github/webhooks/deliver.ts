import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { chosen, type Delivery } from '../../deliveries.ts';
import type { State } from '../state.ts';
import type { EventName, GithubEvent } from './payloads.ts';

/** Where webhooks go. */
export interface Target {
  url: string | undefined;
  secret: string;
  /** How many of the next events GitHub loses. */
  lose: number;
}

/** A webhook as it is sent: change nothing. */
export interface Signed {
  body: string;
  headers: Record<string, string>;
}

/** What a receiver answered; status 0: no one answered. */
export interface Delivered {
  id: string;
  type: EventName;
  status: number;
}

export async function sign({ app }: State, event: GithubEvent, secret: string): Promise<Signed> {
  const body = JSON.stringify(await event.payload);
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/fake',
      'x-github-event': event.type,
      'x-github-delivery': event.id,
      'x-github-hook-id': String(app.id),
      'x-github-hook-installation-target-id': String(app.id),
      'x-github-hook-installation-target-type': 'integration',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
  };
}

/** Sends events one after another: by default, each that was not accepted yet. */
export async function deliver(
  state: State,
  target: Target,
  delivery: Delivery = {},
): Promise<Delivered[]> {
  const sent: Delivered[] = [];
  for (const event of chosen(state.events, state.delivered, delivery)) {
    if (delivery.delay) await pause(delivery.delay);
    sent.push({ id: event.id, type: event.type, status: await send(state, target, event) });
  }
  return sent;
}

/** Sends an event as it happens. GitHub does not try again when no one accepts it. */
export async function follow(
  state: State,
  target: Target,
  event: GithubEvent,
  { delay = 0, duplicate = 1 }: Delivery,
): Promise<void> {
  if (target.lose > 0) {
    target.lose--;
    state.delivered.add(event.id);
    return;
  }
  for (let copy = 0; copy < duplicate; copy++) {
    await pause(delay, undefined, { ref: false });
    await send(state, target, event);
  }
}

async function send(state: State, { url, secret }: Target, event: GithubEvent): Promise<number> {
  if (url === undefined) return 0;
  const signed = await sign(state, event, secret);
  const signal = AbortSignal.timeout(10_000);
  try {
    const response = await fetch(url, { method: 'POST', ...signed, signal });
    await response.arrayBuffer();
    if (response.ok) state.delivered.add(event.id);
    return response.status;
  } catch {
    return 0;
  }
}
