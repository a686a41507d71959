import { exportProjectUsage } from './export-project-usage.ts';
import { exportTaskUsage } from './export-task-usage.ts';
import { exportUsage } from './export-usage.ts';
import { exportWorkspaceUsage } from './export-workspace-usage.ts';
import { getProjectUsage } from './get-project-usage.ts';
import { getTaskUsage } from './get-task-usage.ts';
import { getUsage } from './get-usage.ts';
import { getWorkspaceUsage } from './get-workspace-usage.ts';

export const usageRoutes = [
  getUsage,
  getWorkspaceUsage,
  getProjectUsage,
  getTaskUsage,
  exportUsage,
  exportWorkspaceUsage,
  exportProjectUsage,
  exportTaskUsage,
];
