import { LINK_MINUTES } from '../server/identity/sign-in/sign-in-link.ts';

/** What a newcomer is led to in the demo workshop, by handle in demo/world.json. */
export const DEMO = {
  owner: 'ada@example.com',
  key: 'ada-laptop',
};

/** The first line of every start of the demo: a link that signs its owner in. */
export const signInLine = (link: string): string =>
  `Sign in as ${DEMO.owner}, once, within ${LINK_MINUTES} minutes: ${link}`;
