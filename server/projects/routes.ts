import type { Branches, CodeHosts, Gitea, GithubServices } from '../code/index.ts';
import type { Route } from '../http/route.ts';
import type { Catalog } from '../platform/catalog/catalog.ts';
import type { Config } from '../platform/config/config.ts';
import { attachRepository } from './attach-repository.ts';
import { claimProject } from './claim-project.ts';
import { createProject } from './create-project.ts';
import { deleteProject } from './delete-project.ts';
import { detachRepository } from './detach-repository.ts';
import { getEnvironment } from './get-environment.ts';
import { getMergeTargets } from './get-merge-targets.ts';
import { getNetwork } from './get-network.ts';
import { getProject } from './get-project.ts';
import { getProjectInstructions } from './get-project-instructions.ts';
import { listBranches } from './list-branches.ts';
import { listPeople } from './list-people.ts';
import { listProjects } from './list-projects.ts';
import { listRepositories } from './list-repositories.ts';
import type { OperatorsHosts } from './network.ts';
import { removePerson } from './remove-person.ts';
import type { RepositoryResource } from './repository.ts';
import { setEnvironment } from './set-environment.ts';
import { setMergeTargets } from './set-merge-targets.ts';
import { setNetwork } from './set-network.ts';
import { setPersonRole } from './set-person-role.ts';
import { setProjectInstructions } from './set-project-instructions.ts';
import { transferProject } from './transfer-project.ts';
import { updateProject } from './update-project.ts';

interface ProjectServices extends GithubServices {
  catalog: Catalog;
  branches: Branches;
  network: OperatorsHosts;
  repository: RepositoryResource;
  gitea: Gitea | undefined;
  hosts: CodeHosts;
  creation: Config['creation'];
}

export const projectRoutes = (services: ProjectServices): Route[] => [
  listProjects,
  createProject(services),
  getProject,
  updateProject(services),
  deleteProject,
  transferProject(services),
  claimProject(services),
  listPeople,
  setPersonRole,
  removePerson,
  listRepositories(services),
  listBranches(services),
  attachRepository(services),
  detachRepository,
  getMergeTargets,
  setMergeTargets,
  getNetwork(services),
  setNetwork(services),
  getEnvironment,
  setEnvironment(services),
  getProjectInstructions,
  setProjectInstructions,
];
