import { listPeople } from './list-people.ts';

export const projectRoutes = [listPeople];
