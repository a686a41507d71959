import { addTeamMember } from './add-team-member.ts';
import { addTeamProject } from './add-team-project.ts';
import { createTeam } from './create-team.ts';
import { deleteTeam } from './delete-team.ts';
import { getTeam } from './get-team.ts';
import { listTeamMembers } from './list-team-members.ts';
import { listTeamProjects } from './list-team-projects.ts';
import { listTeams } from './list-teams.ts';
import { removeTeamMember } from './remove-team-member.ts';
import { removeTeamProject } from './remove-team-project.ts';
import { updateTeam } from './update-team.ts';

export const teamRoutes = [
  listTeams,
  createTeam,
  getTeam,
  updateTeam,
  deleteTeam,
  listTeamMembers,
  addTeamMember,
  removeTeamMember,
  listTeamProjects,
  addTeamProject,
  removeTeamProject,
];
