import { approvePlan } from './approve-plan.ts';
import { createPlanComment } from './create-plan-comment.ts';
import { deletePlanComment } from './delete-plan-comment.ts';
import { getPlan } from './get-plan.ts';
import { getPlanDiff } from './get-plan-diff.ts';
import { getPlanVersion } from './get-plan-version.ts';
import { listPlanComments } from './list-plan-comments.ts';
import { listPlanVersions } from './list-plan-versions.ts';
import { rejectPlan } from './reject-plan.ts';
import { requestPlanChanges } from './request-plan-changes.ts';
import { revisePlan } from './revise-plan.ts';
import { updatePlanComment } from './update-plan-comment.ts';

export const planRoutes = [
  getPlan,
  revisePlan,
  approvePlan,
  requestPlanChanges,
  rejectPlan,
  listPlanVersions,
  getPlanVersion,
  getPlanDiff,
  listPlanComments,
  createPlanComment,
  updatePlanComment,
  deletePlanComment,
];
