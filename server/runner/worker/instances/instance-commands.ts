import { randomBytes, randomUUID } from 'node:crypto';
import type { InstanceDriver, InstanceSpec, RunCommand } from '../../../erp/index.ts';
import { type CodePlace, codeOfTask } from './instance-code.ts';

interface Commanded {
  driver: InstanceDriver;
  code: CodePlace;
  taskId: string;
  spec: InstanceSpec;
}

/**
 * The commands of the instance of a task. A shell and an update are run in its own database; tests in
 * a place that is made for them and is gone afterwards, with what is committed on the branch.
 */
export const commandsOf =
  ({ driver, code: place, taskId, spec }: Commanded): RunCommand =>
  async (command, signal) => {
    if (command.what !== 'test') return driver.run?.(spec, command, { signal });
    if (driver.test === undefined) return undefined;
    const { code, fault } = await codeOfTask(place, taskId, { signal });
    if (code === undefined)
      return { code: 1, log: fault ?? 'The branch of the task has no Odoo modules.' };
    const testTags = command.modules.map((name) => `/${name}`).join(',');
    const id = randomUUID();
    const tests: InstanceSpec = {
      ...spec,
      id,
      database: `guildhall_${id.replaceAll('-', '')}`,
      password: randomBytes(24).toString('base64url'),
      code: { ...code, order: { ...code.order, testTags } },
    };
    try {
      return await driver.test(tests, { signal, onLog: () => {} });
    } finally {
      await driver.destroy(id).catch(() => {});
    }
  };
