import type { Route } from '../../http/route.ts';
import { cancelImport } from './cancel-import.ts';
import { getImport } from './get-import.ts';
import { type ImportServices, importRepository } from './import-repository.ts';

export const importRoutes = (services: ImportServices): Route[] => [
  getImport(services),
  importRepository(services),
  cancelImport,
];
