import { deleteWorkspace } from './delete-workspace.ts';
import { transferOwnership } from './transfer-ownership.ts';

export const workspaceRoutes = [deleteWorkspace, transferOwnership];
