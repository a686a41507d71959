import { join } from 'node:path';
import type { ErpProgram } from '../catalog/erp-programs.ts';
import type { ReadSettings, Values } from './read-settings.ts';
import { oneOf, text, wholeNumber } from './readers.ts';
import { optional, setting } from './setting.ts';

/** The environment variables of throwaway ERP instances. */
export const ERP_INSTANCE_SETTINGS = {
  ERP_INSTANCES: setting(
    oneOf(['off', 'command', 'docker', 'kubernetes']),
    'off',
    'what runs the throwaway ERP instances of tasks: nothing, programs of this machine that the ' +
      'catalog names, or containers of a Docker engine or of Kubernetes ' +
      '([ERP instances](erp.md#throwaway-instances))',
  ),
  ERP_INSTANCES_IDLE_MIN: setting(
    wholeNumber(1, 10_080),
    '240',
    'how many minutes an ERP instance is kept that is not used',
  ),
  ERP_INSTANCES_START_SEC: setting(
    wholeNumber(5, 3_600),
    '300',
    'how many seconds an ERP instance may take to be ready',
  ),
  ERP_INSTANCES_PER_OWNER: setting(
    wholeNumber(1, 100_000),
    '5',
    'how many ERP instances a workspace, or a person with projects of their own, may have at once',
  ),
  ERP_INSTANCES_URL: optional(
    text,
    'where people reach an ERP instance, as you have published it: an address with `{name}`, ' +
      '`{id}` or `{port}`; without it only agents reach instances',
  ),
};

/** How throwaway ERP instances are run. */
export interface ErpInstances {
  driver: Values['ERP_INSTANCES'];
  /** For commands: where the files of instances are. */
  folder: string;
  /** Milliseconds. */
  idle: number;
  /** Milliseconds. */
  startWithin: number;
  perOwner: number;
  /** Where people reach one, with placeholders; undefined if they do not. */
  publicUrl: string | undefined;
}

/** `programs`: those of the catalog, which the driver of commands needs. */
export function erpInstances(
  values: Values,
  programs: readonly ErpProgram[],
  faults: ReadSettings['faults'],
): ErpInstances {
  const { ERP_INSTANCES: driver, ERP_INSTANCES_URL: publicUrl } = values;
  if (driver === 'command' && !programs.some(({ start }) => start.length > 0))
    faults.push(
      'GUILDHALL_CATALOG must have a part erp_programs with a start for ERP_INSTANCES=command',
    );
  if (publicUrl !== undefined && !isAddress(publicUrl))
    faults.push(
      'ERP_INSTANCES_URL must begin with http:// or https:// and contain {name}, {id} or {port}',
    );
  return {
    ...{ driver, publicUrl, folder: join(values.DATA_DIR, 'erp-instances') },
    idle: values.ERP_INSTANCES_IDLE_MIN * 60_000,
    startWithin: values.ERP_INSTANCES_START_SEC * 1_000,
    perOwner: values.ERP_INSTANCES_PER_OWNER,
  };
}

/** Without a placeholder, all instances would have the same address. */
const isAddress = (value: string) =>
  /\{(name|id|port)\}/.test(value) &&
  URL.canParse(value.replaceAll(/\{(name|id)\}/g, 'a').replaceAll('{port}', '1')) &&
  /^https?:\/\//.test(value);
