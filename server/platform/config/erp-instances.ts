import { join } from 'node:path';
import type { ErpProgram } from '../catalog/erp-programs.ts';
import { fakePrograms, hasFake } from '../catalog/fake-odoo.ts';
import type { Values } from './settings.ts';

/**
 * How throwaway ERP instances are run. `programs`: those of the catalog, which the driver of
 * commands needs.
 */
export function erpInstances(values: Values, programs: readonly ErpProgram[], faults: string[]) {
  const publicUrl = values.ERP_INSTANCES_URL;
  const wanted = values.ERP_INSTANCES ?? (triesOut(values) && hasFake() ? 'sandbox' : 'off');
  const sandbox = wanted === 'sandbox';
  if (sandbox && !hasFake())
    faults.push('ERP_INSTANCES must not be sandbox here: images are without the fake Odoo');
  if (wanted === 'command' && programs.length === 0)
    faults.push('GUILDHALL_CATALOG must have a part erp_programs for ERP_INSTANCES=command');
  if (publicUrl !== undefined && !isAddress(publicUrl))
    faults.push(
      'ERP_INSTANCES_URL must begin with http:// or https:// and contain {name}, {id} or {port}',
    );
  return {
    erpInstances: {
      driver: sandbox ? ('command' as const) : wanted,
      /** They are the fake Odoo, which is run by commands. */
      sandbox,
      /** Where people reach one, with placeholders; undefined if they do not. */
      publicUrl,
      /** Where workers let people in; undefined if they do not. */
      entry: entryOf(values, faults),
      /** Where the files of instances are. */
      folder: join(values.DATA_DIR, 'erp-instances'),
      /** Milliseconds. */
      idle: values.ERP_INSTANCES_IDLE_MIN * 60_000,
      /** Milliseconds. */
      startWithin: values.ERP_INSTANCES_START_SEC * 1_000,
      perOwner: values.ERP_INSTANCES_PER_OWNER,
      /** Bytes of a dump. */
      dumpBytes: values.ERP_DUMP_MAX_MB * 1024 * 1024,
    },
    /** How the versions of the catalog are run as throwaway instances. */
    erpPrograms: sandbox ? fakePrograms : programs,
  };
}

/** Nothing that counts: the embedded database, the sandbox agent, and cards that are not charged. */
const triesOut = ({ DATABASE_URL, GUILDHALL_CATALOG, STRIPE_SECRET_KEY }: Values) =>
  (DATABASE_URL ?? GUILDHALL_CATALOG ?? STRIPE_SECRET_KEY) === undefined;

/**
 * Where to listen for people, who are told apart by the host name that they use. Undefined where that
 * is not set.
 */
function entryOf(
  { ERP_INSTANCES_LISTEN: listen, ERP_INSTANCES_URL: url }: Values,
  faults: string[],
) {
  if (listen === undefined) return undefined;
  const [, host = '', port = ''] = /^\[?([\w.:-]+?)\]?:(\d{1,5})$/.exec(listen) ?? [];
  if (host === '' || Number(port) > 65_535)
    faults.push('ERP_INSTANCES_LISTEN must be an address and a port, such as 127.0.0.1:8090');
  if (url === undefined || !/^https?:\/\/\{id\}\./.test(url))
    faults.push(
      'ERP_INSTANCES_URL must begin with https://{id}. or http://{id}. for ERP_INSTANCES_LISTEN',
    );
  return { host, port: Number(port), secure: url?.startsWith('https:') ?? false };
}

/** Without a placeholder, all instances would have the same address. */
const isAddress = (value: string) =>
  /\{(name|id|port)\}/.test(value) &&
  URL.canParse(value.replaceAll(/\{(name|id)\}/g, 'a').replaceAll('{port}', '1')) &&
  /^https?:\/\//.test(value);
