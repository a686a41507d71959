import type { Route } from '../../http/route.ts';
import type { Config } from '../../platform/config/config.ts';
import { createWorkspace } from './create-workspace.ts';
import { deleteWorkspace } from './delete-workspace.ts';
import { exportWorkspace } from './export-workspace.ts';
import { getWorkspace } from './get-workspace.ts';
import { getWorkspaceInstructions } from './get-workspace-instructions.ts';
import { listWorkspaces } from './list-workspaces.ts';
import { setWorkspaceInstructions } from './set-workspace-instructions.ts';
import { transferOwnership } from './transfer-ownership.ts';
import { updateWorkspace } from './update-workspace.ts';

export const workspaceRoutes = (services: Pick<Config, 'creation'>): Route[] => [
  listWorkspaces,
  createWorkspace(services),
  getWorkspace,
  updateWorkspace,
  deleteWorkspace,
  transferOwnership,
  exportWorkspace,
  getWorkspaceInstructions,
  setWorkspaceInstructions,
];
