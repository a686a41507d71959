import type { TestContext } from 'node:test';
import type { InstanceDriver } from '../erp/instances/instance-driver.ts';
import { makeInstances } from './instances.ts';

/** Every driver of ERP instances, for the tests of what they have in common. */
interface TestDriver {
  name: string;
  /** Why it cannot be tested on this machine. */
  skip: string | false;
  make(t: TestContext): Promise<InstanceDriver>;
}

export const instanceDrivers: readonly TestDriver[] = [
  {
    name: 'command, with a stand-in for Odoo',
    skip: process.platform === 'linux' ? false : 'finds processes in /proc',
    make: (t) => makeInstances(t),
  },
];
