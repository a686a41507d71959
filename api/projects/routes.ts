import { getProject } from './get-project.ts';
import { listPeople } from './list-people.ts';
import { removePerson } from './remove-person.ts';
import { setPersonRole } from './set-person-role.ts';

export const projectRoutes = [getProject, listPeople, setPersonRole, removePerson];
