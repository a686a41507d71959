import { multilineText } from '../http/input/fields.ts';

/** The most bytes of a request that carries a message. */
export const LARGEST_MESSAGE = 512 * 1024;

/** What a person writes to an agent. */
export const messageText = () =>
  multilineText({ minLength: 1, maxLength: 100_000, description: 'What the agent is told.' });
