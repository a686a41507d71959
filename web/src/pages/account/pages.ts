/** The pages of an account are loaded together: each file more is a name more in the shell. */
export { Activity } from './activity.tsx';
export { Connect } from './connect-application.tsx';
export { Connections } from './connections.tsx';
export { Keys } from './keys.tsx';
export { Notifications } from './notifications.tsx';
export { Profile } from './profile.tsx';
export { Sessions } from './sessions.tsx';
