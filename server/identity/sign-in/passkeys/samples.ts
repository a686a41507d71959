import { toAssert } from './options.ts';

/** The form of a browser's answer, for the document. */
export const ASSERTED = {
  id: 'AQIDBAUGBwgJCgsMDQ4PEA',
  rawId: 'AQIDBAUGBwgJCgsMDQ4PEA',
  type: 'public-key',
  response: {
    clientDataJSON: 'e30',
    authenticatorData: 'AA',
    signature: 'MEUC',
    userHandle: 'fJ5meXQlQN6US-B_wfkK5w',
  },
};

export const OPTIONS = toAssert(
  { id: 'guildhall.example.com', origin: 'https://guildhall.example.com' },
  { challenge: 'YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXowMTIzNDU' },
);
