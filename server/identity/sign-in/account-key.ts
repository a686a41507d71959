import { hash } from 'node:crypto';
import { mailboxOf } from '../../db/addresses.ts';

/**
 * What attempts on an address are counted by, however the address is spelled: the store of limits
 * does not learn addresses.
 */
export const accountKey = (email: string): string => hash('sha256', mailboxOf(email), 'base64url');
