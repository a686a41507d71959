/** What operators of the server do to accounts, as the command line does. */

export { removeSecondFactors } from './sign-in/second-factors.ts';
export { createSignInLink, LINK_MINUTES } from './sign-in/sign-in-link.ts';
export { activateUser, deactivateUser, lockUser } from './users/users.ts';
