/**
 * The pages of an account, of operators and of an unknown address are loaded together: each file more is a name
 * more in the shell.
 */
export { UnknownPage } from '../../shell/unknown-page.tsx';
export { Operator } from '../operator/operator.tsx';
export { Activity } from './activity.tsx';
export { Connect } from './connect-application.tsx';
export { Connections } from './connections.tsx';
export { Keys } from './keys.tsx';
export { Notifications } from './notifications.tsx';
export { Profile } from './profile.tsx';
export { Sessions } from './sessions.tsx';
