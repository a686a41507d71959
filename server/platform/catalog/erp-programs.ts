import Type, { type Static } from 'typebox';
import { list, object, oneOf } from '../../http/input/fields.ts';

/**
 * The part of the catalog file that says how throwaway ERP instances are run, version by version.
 * It is shown to no one.
 */

const argument = Type.String({ maxLength: 10_000, pattern: '^[^\\u0000]*$' });
const command = list(argument, { minItems: 1, maxItems: 100 });

export const erpProgram = object({
  version: Type.String({
    maxLength: 20,
    pattern: '^[0-9A-Za-z][0-9A-Za-z.~-]*$',
    description: 'As `erp.versions` names it.',
  }),
  editions: list(oneOf(['community', 'enterprise']), { minItems: 1, maxItems: 2 }),
  start: command,
  remove: Type.Optional(command),
  test: Type.Optional(command),
  run: Type.Optional(command),
  prepare: Type.Optional(command),
});

/** How a version is run. */
export type ErpProgram = Static<typeof erpProgram>;
