import { fieldError, ValidationError } from '../../http/errors.ts';
import { type ErrorItem, itemAt } from '../../http/input/error-item.ts';
import type { Subject } from './limits.ts';

/** A limit as it is wanted, in micro-USD; null removes it. */
export interface Wanted {
  subject: Subject;
  subject_id?: string;
  amount: bigint | null;
}

const at = (field: string) => ['body', 'limits', 0, field];

const subjectMissing = fieldError('missing', at('subject_id'), 'Field required');
const balanceHasNoId = fieldError(
  'balance_has_no_id',
  at('subject_id'),
  'The whole balance is one: leave its subject_id out',
);
const limitRepeated = fieldError(
  'limit_repeated',
  at('subject'),
  'This limit is already in the list: remove it',
);
const subjectNotFound = fieldError(
  'subject_not_found',
  at('subject_id'),
  'Nothing of this kind with this id belongs to the owner of the balance',
);

export const limitErrors = [subjectMissing, balanceHasNoId, limitRepeated, subjectNotFound];

/** Names a limit among those of an account. */
export const keyOf = ({ subject, subject_id = '' }: Pick<Wanted, 'subject' | 'subject_id'>) =>
  `${subject} ${subject_id}`;

/** Throws all that is wrong with a list, beyond the form of its items. */
export function checkLimits(wanted: readonly Wanted[]): void {
  const seen = new Set<string>();
  const kinds = wanted.map((limit) => {
    const [key, balance] = [keyOf(limit), limit.subject === 'balance'];
    const repeated = seen.has(key);
    seen.add(key);
    if (balance && limit.subject_id !== undefined) return balanceHasNoId;
    if (!balance && limit.subject_id === undefined) return subjectMissing;
    return repeated ? limitRepeated : undefined;
  });
  refuse(kinds);
}

/** Throws for the limits on what is not the owner's, by their place in the list. */
export const refuseUnknown = (wanted: readonly Wanted[], unknown: readonly number[]): void =>
  refuse(wanted.map((_, place) => (unknown.includes(place) ? subjectNotFound : undefined)));

function refuse(kinds: readonly (typeof limitRepeated | undefined)[]): void {
  const items = kinds.flatMap((kind, place): ErrorItem[] => {
    if (kind === undefined) return [];
    const field = kind === limitRepeated ? 'subject' : 'subject_id';
    return [itemAt(kind.item.type, ['body', 'limits', place, field], kind.item.msg)];
  });
  if (items.length > 0) throw new ValidationError(items);
}
