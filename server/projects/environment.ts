import Type from 'typebox';
import {
  FILE_PATH,
  IMAGE_ID,
  MOST_CACHE,
  MOST_CACHE_PATH,
  MOST_IMAGE_ID,
  MOST_SETUP,
  MOST_SETUP_MINUTES,
} from '../code/index.ts';
import { type Sql, sql } from '../db/sql.ts';
import { apiError } from '../http/errors.ts';
import { integer, list, multilineText, object } from '../http/input/fields.ts';
import type { DeclaredAnswer } from '../http/route.ts';

/** What the settings of a project say about where its commands run. */

const fields = {
  image: Type.String({
    minLength: 1,
    maxLength: MOST_IMAGE_ID,
    pattern: IMAGE_ID,
    description: 'An image that `get_config` lists, by its id; for pods that are containers.',
  }),
  setup: multilineText({
    minLength: 1,
    maxLength: MOST_SETUP,
    description:
      'A command for the shell that runs in the work tree of a new pod before the agent, before ' +
      'each check and before a deploy, such as `npm ci`.',
  }),
  setup_timeout_minutes: integer({
    minimum: 1,
    maximum: MOST_SETUP_MINUTES,
    description: 'How long the setup may take; 15 minutes where nothing says it.',
  }),
  cache: list(Type.String({ minLength: 1, maxLength: MOST_CACHE_PATH, pattern: FILE_PATH }), {
    maxItems: MOST_CACHE,
    description:
      'Paths of files of the repository. The result of the setup is kept until one of them ' +
      'changes; without any, for the same commit only.',
  }),
};

/** A field that is left out leaves the choice to the build file of the commit. */
export const environment = object(
  {
    image: Type.Optional(fields.image),
    setup: Type.Optional(fields.setup),
    setup_timeout_minutes: Type.Optional(fields.setup_timeout_minutes),
    cache: Type.Optional(fields.cache),
  },
  { $id: 'Environment' },
);

export type EnvironmentSettings = Type.Static<typeof environment>;

export const environmentShown = (description: string): DeclaredAnswer => ({
  description,
  headers: ['ETag'],
  schema: environment,
  example: { setup: 'npm ci', cache: ['package-lock.json'] },
});

/** The JSON text of a row `e` of project_environment, of which any field may be null. */
export const environmentJson: Sql = sql`
  json_strip_nulls(json_build_object(
    'image', e.image, 'setup', e.setup, 'setup_timeout_minutes', e.setup_timeout_minutes,
    'cache', e.cache))::text`;

/** What the ETag is made of, of the JSON text. */
export const environmentRevision = (item: Sql): Sql => sql`md5(${item})`;

export const environmentChanged = apiError(
  412,
  'environment_changed',
  'The environment has changed since you read it: read it again, then set it',
);
