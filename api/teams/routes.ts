import { createTeam } from './create-team.ts';
import { deleteTeam } from './delete-team.ts';
import { getTeam } from './get-team.ts';
import { listTeams } from './list-teams.ts';
import { updateTeam } from './update-team.ts';

export const teamRoutes = [listTeams, createTeam, getTeam, updateTeam, deleteTeam];
