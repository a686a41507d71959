/** The pages before a sign-in are loaded together: each file more is a name more in the shell. */
export { InvitationPage } from '../invitation/invitation.tsx';
export { LinkPage } from './link.tsx';
export { SignIn } from './sign-in.tsx';
