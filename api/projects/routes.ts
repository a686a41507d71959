import { getProject } from './get-project.ts';
import { listPeople } from './list-people.ts';

export const projectRoutes = [getProject, listPeople];
