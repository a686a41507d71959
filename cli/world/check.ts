import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import { Settings } from 'typebox/system';
import { type Fault, WorldError } from './faults.ts';
import { referenceFaults } from './references.ts';
import { type World, worldSchema } from './schema.ts';

const validator = Compile(worldSchema);

// TypeBox reports an unknown field as two errors, and at most fifty faults are shown.
const MAX_ERRORS = 120;

/**
 * Reads a world file that was parsed from JSON, and reports all faults of its structure and its
 * references together. Throws WorldError.
 */
export function readWorld(world: unknown): World {
  const faults = [...structureFaults(world), ...referenceFaults(world)];
  if (faults.length > 0) throw new WorldError(faults);
  return validator.Decode(world);
}

function structureFaults(world: unknown): Fault[] {
  if (validator.Check(world)) return [];
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: MAX_ERRORS });
  try {
    return validator.Errors(world).flatMap(faultsOf);
  } finally {
    Settings.Set({ maxErrors });
  }
}

function faultsOf(error: TLocalizedValidationError): Fault[] {
  const { instancePath: pointer } = error;
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        pointer,
        message: `lacks "${name}"`,
      }));
    case 'boolean':
      return [{ pointer, message: 'is not a known field here: is it misspelt?' }];
    case 'additionalProperties': // `boolean` reports each of these fields
      return [];
    case 'enum':
      return [{ pointer, message: `must be one of ${error.params.allowedValues.join(', ')}` }];
    case 'type':
      return [{ pointer, message: `must be ${A[String(error.params.type)] ?? error.params.type}` }];
    case 'maxItems':
      return [{ pointer, message: `must have at most ${error.params.limit} entries` }];
    case 'minItems':
      return [{ pointer, message: 'must not be empty' }];
    case 'minimum':
    case 'maximum':
      return [{ pointer, message: `must be ${error.params.comparison} ${error.params.limit}` }];
    default:
      return [{ pointer, message: error.message }];
  }
}

const A: Record<string, string> = {
  object: 'an object',
  array: 'a list',
  string: 'a text in quotes',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
};
