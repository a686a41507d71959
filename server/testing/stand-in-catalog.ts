import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { standInPrograms } from '../platform/catalog/stand-in.ts';

/** The environment of a server whose ERP instances are the stand-in for Odoo. */
export async function standInCatalog(): Promise<Record<string, string>> {
  const file = join(await mkdtemp(join(tmpdir(), 'guildhall-catalog-')), 'catalog.json');
  await writeFile(file, JSON.stringify({ erp_programs: standInPrograms }));
  return { ERP_INSTANCES: 'command', GUILDHALL_CATALOG: file };
}
