import { join } from 'node:path';
import type { ErpProgram } from '../catalog/erp-programs.ts';
import { hasStandIn, standInPrograms } from '../catalog/stand-in.ts';
import type { ReadSettings, Values } from './read-settings.ts';
import { oneOf, text, wholeNumber } from './readers.ts';
import { optional, setting } from './setting.ts';

/** The environment variables of throwaway ERP instances. */
export const ERP_INSTANCE_SETTINGS = {
  ERP_INSTANCES: optional(
    oneOf(['off', 'sandbox', 'command', 'docker', 'kubernetes']),
    'what runs the throwaway ERP instances of tasks: nothing, a stand-in for Odoo, programs of ' +
      'this machine that the catalog names, or containers of a Docker engine or of Kubernetes ' +
      '([ERP instances](erp.md#throwaway-instances)); without it the stand-in, while ' +
      '`DATABASE_URL`, `GUILDHALL_CATALOG` and `STRIPE_SECRET_KEY` are not set either, and else ' +
      'nothing',
    '`sandbox` or `off`',
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
  driver: 'off' | 'command' | 'docker' | 'kubernetes';
  /** They are the stand-in for Odoo, which is run by commands. */
  sandbox: boolean;
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
): { erpInstances: ErpInstances; erpPrograms: readonly ErpProgram[] } {
  const { ERP_INSTANCES_URL: publicUrl } = values;
  const wanted = values.ERP_INSTANCES ?? (triesOut(values) && hasStandIn() ? 'sandbox' : 'off');
  const sandbox = wanted === 'sandbox';
  if (sandbox && !hasStandIn())
    faults.push('ERP_INSTANCES must not be sandbox here: images are without the stand-in for Odoo');
  if (wanted === 'command' && !programs.some(({ start }) => start.length > 0))
    faults.push(
      'GUILDHALL_CATALOG must have a part erp_programs with a start for ERP_INSTANCES=command',
    );
  if (publicUrl !== undefined && !isAddress(publicUrl))
    faults.push(
      'ERP_INSTANCES_URL must begin with http:// or https:// and contain {name}, {id} or {port}',
    );
  return {
    erpInstances: {
      driver: sandbox ? 'command' : wanted,
      sandbox,
      publicUrl,
      folder: join(values.DATA_DIR, 'erp-instances'),
      idle: values.ERP_INSTANCES_IDLE_MIN * 60_000,
      startWithin: values.ERP_INSTANCES_START_SEC * 1_000,
      perOwner: values.ERP_INSTANCES_PER_OWNER,
    },
    erpPrograms: sandbox ? standInPrograms : programs,
  };
}

/** Nothing that counts: the embedded database, the sandbox agent, and cards that are not charged. */
const triesOut = ({ DATABASE_URL, GUILDHALL_CATALOG, STRIPE_SECRET_KEY }: Values) =>
  (DATABASE_URL ?? GUILDHALL_CATALOG ?? STRIPE_SECRET_KEY) === undefined;

/** Without a placeholder, all instances would have the same address. */
const isAddress = (value: string) =>
  /\{(name|id|port)\}/.test(value) &&
  URL.canParse(value.replaceAll(/\{(name|id)\}/g, 'a').replaceAll('{port}', '1')) &&
  /^https?:\/\//.test(value);
