import { createRole } from './create-role.ts';
import { deleteRole } from './delete-role.ts';
import { getRole } from './get-role.ts';
import { listRoles } from './list-roles.ts';
import { updateRole } from './update-role.ts';

export const roleRoutes = [listRoles, createRole, getRole, updateRole, deleteRole];
