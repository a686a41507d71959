import {
  type Outgoing,
  type OutgoingOptions,
  openOutgoing,
} from '../platform/outgoing/outgoing.ts';
import { atEnd } from './at-end.ts';
import type { FakeOdoo } from './fakes/fake-odoo/fake.ts';
import { type FakeOdooOptions, startFakeOdoo } from './fakes/fake-odoo/server.ts';

/** A fake Odoo that ends with the tests. */
export async function startOdoo(options: FakeOdooOptions = {}): Promise<FakeOdoo> {
  const fake = await startFakeOdoo(options);
  atEnd(() => fake.close());
  return fake;
}

/** The guarded agent, allowed to reach fakes. */
export const outgoingTo = (options: Partial<OutgoingOptions> = {}): Outgoing =>
  openOutgoing({ allowedNetworks: ['127.0.0.1'], allowHttp: true, ...options });
