import { approvePlan } from './approve-plan.ts';
import { getPlan } from './get-plan.ts';
import { getPlanDiff } from './get-plan-diff.ts';
import { getPlanVersion } from './get-plan-version.ts';
import { listPlanVersions } from './list-plan-versions.ts';

export const planRoutes = [getPlan, approvePlan, listPlanVersions, getPlanVersion, getPlanDiff];
