import type { Route } from '../../http/route.ts';
import { cancelImport } from './cancel-import.ts';
import { getImport } from './get-import.ts';
import { type ImportDeps, importRepository } from './import-repository.ts';

export const importRoutes = (deps: ImportDeps): Route[] => [
  importRepository(deps),
  getImport(deps.branches),
  cancelImport,
];
