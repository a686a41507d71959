import Type from 'typebox';
import { type Sql, sql } from '../../db/sql.ts';
import { apiError, fieldError } from '../../http/errors.ts';
import { boolean, list, multilineText, object, oneOf, uuid } from '../../http/input/fields.ts';
import { resource } from '../../http/resource.ts';
import { ids } from '../../http/route.ts';
import { timestamp } from '../../http/timestamps.ts';
import { PURPOSES } from '../../platform/pods/purposes.ts';
import { VARIABLE_NAME } from './names.ts';

export const MOST_VARIABLES = 100;
/** Bytes in UTF-8. */
const MOST_VALUE = 32_768;
export const MOST_OF_PROJECT = 262_144;
/** A shorter secret would be hidden in the middle of ordinary words. */
const SHORTEST_SECRET = 4;

const name = () =>
  Type.String({
    maxLength: 100,
    pattern: VARIABLE_NAME,
    description: 'As in a shell; upper and lower case differ.',
  });

const stage = () =>
  oneOf(['staging', 'production'], {
    description:
      'For deploys of this stage only; it wins over a variable of this name without a stage.',
  });

const purposes = () =>
  list(oneOf([...PURPOSES]), {
    minItems: 1,
    maxItems: PURPOSES.length,
    description:
      'What gets it: the setup of the environment, agents, checks, deploys. Each at most once.',
  });

const secret = () =>
  boolean({ description: 'Whether the value is stored encrypted and never shown again.' });

/** A variable of a project, from a row `t` of `project_variable`. */
const shape = resource('ProjectVariable', {
  name: [name(), sql`t.name`, 'PIP_INDEX_URL'],
  stage: [Type.Optional(stage()), sql`t.stage`, undefined],
  purposes: [purposes(), sql`to_json(t.purposes)`, ['setup', 'checks']],
  secret: [secret(), sql`t.sealed is not null`, false],
  value: [
    Type.Optional(Type.String({ description: 'Absent for a secret.' })),
    sql`t.value`,
    'https://packages.example.com/simple',
  ],
  updated_at: [timestamp(), sql`t.updated_at`, '2026-11-21T08:15:30.123Z'],
  updated_by_user_id: [uuid(), sql`t.updated_by_user_id`, '3fa85f64-5717-4562-b3fc-2c963f66afa6'],
});

export const variable = {
  ...shape,
  /** The path of one. */
  params: Type.Object({ ...ids('project_id').properties, name: name() }),
  /** Which of those with this name. */
  query: Type.Object({ stage: Type.Optional(stage()) }),
  /** The body that sets one. */
  set: object({
    value: multilineText({
      minLength: 0,
      maxLength: MOST_VALUE,
      writeOnly: true,
      description:
        'At most 32 KiB in UTF-8. It may have several lines, and no other control characters than ' +
        'tabs and line ends.',
    }),
    secret: secret(),
    purposes: purposes(),
    stage: Type.Optional(stage()),
  }),
  /** What the audit trail keeps of one: never its value. */
  snapshot: (row: Sql) => sql`
    jsonb_build_object(
      'name', (${row}).name,
      'stage', (${row}).stage,
      'purposes', array_to_string((${row}).purposes, ' '),
      'sealed', (${row}).sealed is not null)`,
};

type SetVariable = Type.Static<typeof variable.set>;

export const nameReserved = fieldError(
  'variable_name_reserved',
  ['path', 'name'],
  'A project cannot set this variable: it is set for every process, or changes how programs are started. Choose another name',
);

export const purposeRepeated = fieldError(
  'variable_purpose_repeated',
  ['body', 'purposes'],
  'Each purpose may be listed once: remove the repeated one',
);

export const stageNeedsDeploy = fieldError(
  'variable_stage_needs_deploy',
  ['body', 'purposes'],
  'A value for one stage is for deploys alone: send ["deploy"] as its purposes, or no stage',
);

export const valueTooLarge = fieldError(
  'variable_value_too_large',
  ['body', 'value'],
  'A value has at most 32 KiB in UTF-8: put larger things into a file of the repository',
);

export const secretTooShort = fieldError(
  'variable_secret_too_short',
  ['body', 'value'],
  'A secret has at least 4 characters, white space around it aside: a shorter one cannot be hidden in logs',
);

export const tooManyVariables = apiError(
  409,
  'too_many_variables',
  `A project has at most ${MOST_VARIABLES} variables: remove one first`,
);

export const variablesTooLarge = apiError(
  409,
  'variables_too_large',
  'The values of a project have at most 256 KiB in all: remove or shorten one first',
);

/** Throws what is wrong with a variable beyond the form of its fields. */
export function checkVariable(value: string, { secret, purposes, stage }: SetVariable): void {
  if (new Set(purposes).size < purposes.length) throw purposeRepeated();
  if (stage !== undefined && purposes.join() !== 'deploy') throw stageNeedsDeploy();
  if (Buffer.byteLength(value) > MOST_VALUE) throw valueTooLarge();
  // As the values are looked for: without the white space around them, and across lines.
  if (secret && value.trim().replaceAll(/[\r\n]+/g, '').length < SHORTEST_SECRET)
    throw secretTooShort();
}
