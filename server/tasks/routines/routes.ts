import type { Route } from '../../http/route.ts';
import type { Catalog } from '../../platform/catalog/catalog.ts';
import type { Sealing } from '../../platform/sealing/sealing.ts';
import { createRoutine } from './create-routine.ts';
import { deleteRoutine } from './delete-routine.ts';
import { listRoutineRuns } from './list-routine-runs.ts';
import { listRoutines } from './list-routines.ts';
import { rotateRoutineToken } from './rotate-routine-token.ts';
import { runRoutine } from './run-routine.ts';
import { updateRoutine } from './update-routine.ts';

export const routineRoutes = (services: { catalog: Catalog; routineSealing: Sealing }): Route[] => [
  listRoutines,
  createRoutine(services),
  updateRoutine(services),
  deleteRoutine,
  runRoutine,
  rotateRoutineToken(services),
  listRoutineRuns,
];
