import { GUARDED_MODELS, READ_FIELDS, SECRET_FIELDS } from './guarded.ts';

/** What of a server agents see and change, with the exceptions of one connection. */
export interface Guard {
  model(name: string): { agents: 'hidden' | 'read' | 'open'; why: string };
  /**
   * Why a field is not for agents; undefined if it is. `follow`: it leads to records of any model.
   */
  field(
    model: string | undefined,
    name: string,
    use: 'read' | 'write' | 'follow',
  ): string | undefined;
}

/** `exceptions`: names of models, and of fields as `model/field`. */
export function guardFor(exceptions: readonly string[]): Guard {
  return {
    model: (name) =>
      exceptions.includes(name) ? OPEN : (RULES.find(({ fits }) => fits.test(name)) ?? OPEN),
    field(model, name, use) {
      if (exceptions.includes(`${model}/${name}`)) return undefined;
      if (SECRET_FIELDS.test(name)) return `The field ${name} may hold a secret`;
      if (use === 'follow') return `The field ${name} may lead to any model, and is not followed`;
      return use === 'write' && READ_FIELDS[model ?? '']?.includes(name)
        ? `The field ${name} of ${model} is not changed by agents`
        : undefined;
    },
  };
}

const OPEN = { agents: 'open', why: '' } as const;

const RULES = GUARDED_MODELS.flatMap(({ models, agents, why }) =>
  models.map((name) => ({
    fits: new RegExp(`^${name.replaceAll('.', '[.]').replaceAll('*', '.*')}$`),
    agents,
    why,
  })),
);

/** How an admin makes an exception, for the end of a refusal. */
export const unlessAllowed = (what: string): string =>
  `: an admin of the project can add ${what} to the exceptions of the connection.`;
