/**
 * What a turn needs of Odoo: the gateway to the servers that an agent may use, and the drivers of
 * throwaway instances.
 */

export { waitsForDump } from './dumps/waits-for-dump.ts';
export { openErpGateway } from './gateway/gateway.ts';
export { described, type ErpCall, type ErpTarget, type RunCommand } from './gateway/target.ts';
export type { TargetsOf } from './gateway/targets.ts';
export {
  type InstanceCode,
  type InstanceDriver,
  InstanceError,
  type InstanceSpec,
  type InstanceState,
} from './instances/instance-driver.ts';
export type { CodeOrder, DumpOrder, InstanceReport } from './instances/instance-order.ts';
export {
  type FailedTest,
  readOdooTests,
  summaryOf,
} from './instances/odoo-tests.ts';
export { INSTANCE_LOGIN } from './instances/password.ts';
export { plainSend } from './instances/plain-send.ts';
export { isReady } from './instances/ready.ts';
