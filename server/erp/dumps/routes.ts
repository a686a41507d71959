import type { Route } from '../../http/route.ts';
import { deleteOdooDump } from './delete-odoo-dump.ts';
import { getOdooDump } from './get-odoo-dump.ts';
import { type DumpServices, uploadOdooDump } from './upload-odoo-dump.ts';

export const dumpRoutes = (services: DumpServices): Route[] => [
  getOdooDump,
  uploadOdooDump(services),
  deleteOdooDump,
];
