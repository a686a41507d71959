/** The rarer pages of a project are loaded together: each file more is a name more in the shell. */
export { ProjectDeploys } from './deploys.tsx';
export { ProjectPeople } from './people.tsx';
export { ProjectRepositories } from './repositories.tsx';
export { ProjectSettings } from './settings.tsx';
export { ProjectWebhooks } from './webhooks.tsx';
