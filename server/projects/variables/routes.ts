import type { Route } from '../../http/route.ts';
import type { Sealing } from '../../platform/sealing/sealing.ts';
import { deleteVariable } from './delete-variable.ts';
import { listVariables } from './list-variables.ts';
import { setVariable } from './set-variable.ts';

export const variableRoutes = (services: { variableSealing: Sealing }): Route[] => [
  listVariables,
  setVariable(services),
  deleteVariable,
];
