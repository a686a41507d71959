import type { Route } from '../../http/route.ts';
import { cancelImport } from './cancel-import.ts';
import { getImport } from './get-import.ts';
import { type ImportDeps, importRepository } from './import-repository.ts';

export const importRoutes = (deps: ImportDeps): Route[] => [
  getImport(deps.branches),
  importRepository(deps),
  cancelImport,
];
