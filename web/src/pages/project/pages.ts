/** The rarer pages of a project are loaded together: each file more is a name more in the shell. */
export { Routines } from '../routines/routines.tsx';
export { Webhooks } from '../webhooks/webhooks.tsx';
export { ProjectDeploys } from './deploys.tsx';
export { ProjectPeople } from './people.tsx';
export { ProjectRepositories } from './repositories.tsx';
export { ProjectSettings } from './settings.tsx';
