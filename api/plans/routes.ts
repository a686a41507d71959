import { approvePlan } from './approve-plan.ts';

export const planRoutes = [approvePlan];
