import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { chosen, type Delivery } from '../deliveries.ts';
import type { Params } from './form.ts';
import { page } from './pages.ts';
import type { EventObject, State } from './state.ts';

/** Where webhooks go. */
export interface Target {
  url: string | undefined;
  secret: string;
}

/** An event as it is sent: sign these bytes, change nothing. */
export interface Signed {
  body: string;
  header: string;
}

/** `timestamp`: when it was signed, in seconds; `secret`: a wrong one. */
export function sign(event: unknown, options: { secret: string; timestamp?: number }): Signed {
  const payload = JSON.stringify(event);
  return {
    body: payload,
    header: Stripe.webhooks.generateTestHeaderString({ payload, ...options }),
  };
}

/** Sends events one after another. `status` 0: nobody answered. */
export async function deliver(
  state: State,
  target: Target,
  delivery: Delivery = {},
): Promise<{ id: string; type: string; status: number }[]> {
  const sent: { id: string; type: string; status: number }[] = [];
  for (const event of chosen(state.events, state.delivered, delivery)) {
    if (delivery.delay) await pause(delivery.delay);
    sent.push({ id: event.id, type: event.type, status: await send(state, target, event) });
  }
  return sent;
}

/**
 * Sends every event as it happens, and again until it is answered 2xx, as Stripe does, only faster.
 */
export async function follow(
  state: State,
  target: Target,
  event: EventObject,
  how: Delivery,
): Promise<void> {
  for (let copy = 0; copy < (how.duplicate ?? 1); copy++) {
    for (let attempt = 0; attempt < 10; attempt++) {
      await pause((how.delay ?? 0) + (attempt === 0 ? 0 : 200 * 2 ** attempt), undefined, {
        ref: false,
      });
      const status = await send(state, target, event);
      if (status >= 200 && status < 300) break;
    }
  }
}

/** GET /v1/events: newest first. */
export function listEvents(state: State, params: Params): unknown {
  return page('/v1/events', state.events.toReversed(), params);
}

async function send(state: State, { url, secret }: Target, event: EventObject): Promise<number> {
  if (url === undefined) return 0;
  const { body, header } = sign(event, { secret });
  const headers = { 'content-type': 'application/json', 'stripe-signature': header };
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(10_000),
    });
    await response.arrayBuffer();
    if (response.ok) state.delivered.add(event.id);
    return response.status;
  } catch {
    return 0;
  }
}
