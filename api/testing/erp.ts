import { after } from 'node:test';
import { type Outgoing, type OutgoingOptions, openOutgoing } from '../outgoing/outgoing.ts';
import { type FakeOdoo, type FakeOdooOptions, startFakeOdoo } from './doubles/fake-odoo/server.ts';

const open: FakeOdoo[] = [];
after(() => Promise.all(open.map((each) => each.close())));

/** A stand-in for Odoo that ends with the tests of this file. */
export async function startOdoo(options: FakeOdooOptions = {}): Promise<FakeOdoo> {
  const fake = await startFakeOdoo(options);
  open.push(fake);
  return fake;
}

/** The guarded agent, allowed to reach stand-ins. */
export const outgoingTo = (options: Partial<OutgoingOptions> = {}): Outgoing =>
  openOutgoing({ allowedNetworks: ['127.0.0.1'], allowHttp: true, ...options });
