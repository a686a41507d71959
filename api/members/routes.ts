import { listMembers } from './list-members.ts';

export const memberRoutes = [listMembers];
