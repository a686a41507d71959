import type { Catalog } from '../catalog/catalog.ts';
import type { Route } from '../http/route.ts';
import { claimProject } from './claim-project.ts';
import { createProject } from './create-project.ts';
import { deleteProject } from './delete-project.ts';
import { getProject } from './get-project.ts';
import { listPeople } from './list-people.ts';
import { listProjects } from './list-projects.ts';
import { removePerson } from './remove-person.ts';
import { setPersonRole } from './set-person-role.ts';
import { transferProject } from './transfer-project.ts';
import { updateProject } from './update-project.ts';

export const projectRoutes = (catalog: Catalog): Route[] => [
  listProjects,
  createProject(catalog),
  getProject,
  updateProject(catalog),
  deleteProject,
  transferProject,
  claimProject,
  listPeople,
  setPersonRole,
  removePerson,
];
