import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakePrograms } from '../platform/catalog/fake-odoo.ts';

/** The environment of a server whose ERP instances are the fake Odoo. */
export async function fakeCatalog(): Promise<Record<string, string>> {
  const file = join(await mkdtemp(join(tmpdir(), 'guildhall-catalog-')), 'catalog.json');
  await writeFile(file, JSON.stringify({ erp_programs: fakePrograms }));
  return { ERP_INSTANCES: 'command', GUILDHALL_CATALOG: file };
}
