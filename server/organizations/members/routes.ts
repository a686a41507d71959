import { leaveWorkspace } from './leave-workspace.ts';
import { listMembers } from './list-members.ts';
import { removeMember } from './remove-member.ts';
import { updateMember } from './update-member.ts';

export const memberRoutes = [listMembers, updateMember, removeMember, leaveWorkspace];
