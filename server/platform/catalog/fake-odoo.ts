import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defaultCatalog } from './catalog.ts';
import type { ErpProgram } from './erp-programs.ts';

/** As `npm run fake-odoo` has it; images of the server are without it. */
const PROGRAM = join(import.meta.dirname, '../../testing/fakes/fake-odoo/instance.ts');

/** Whether the fake Odoo is there to be run. */
export const hasFake = (): boolean => existsSync(PROGRAM);

/** The fake Odoo as the program of every version, for trying out throwaway ERP instances. */
export const fakePrograms: readonly ErpProgram[] = defaultCatalog.erp.versions.map(
  ({ version, editions }) => ({
    version,
    editions,
    start: [process.execPath, PROGRAM],
    test: [process.execPath, PROGRAM, 'test'],
    run: [process.execPath, PROGRAM, 'run'],
  }),
);
