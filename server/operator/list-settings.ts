import Type from 'typebox';
import { asOperator } from '../access/operator.ts';
import { sql } from '../db/sql.ts';
import { operatorRequired } from '../http/errors.ts';
import { route } from '../http/route.ts';
import type { ShownSetting } from '../platform/config/config.ts';

const setting = Type.Object(
  {
    name: Type.String(),
    value: Type.Optional(
      Type.String({ description: 'Left out where it is a secret, or not set.' }),
    ),
    secret: Type.Boolean({
      description: 'It may hold a secret; of an address, what is no login is shown.',
    }),
    source: Type.Enum(['environment', 'file', 'default', 'unset']),
  },
  { $id: 'Setting' },
);

/** The settings as they are. */
export const listSettings = ({ settings }: { settings: readonly ShownSetting[] }) =>
  route({
    method: 'GET',
    path: '/api/operator/settings',
    area: 'Operation',
    operationId: 'list_settings',
    summary: 'List settings',
    description:
      'Every setting of the server process that answers, in the order of the documents, with where ' +
      'it is from; no secrets. Operators only.',
    access: asOperator,
    responses: {
      200: {
        description: 'In the order of the documents.',
        schema: Type.Array(setting),
        example: [{ name: 'PORT', value: '8080', secret: false, source: 'default' }],
      },
    },
    errors: [operatorRequired],
    handle: ({ statement }) =>
      statement({ select: sql`select from authorized` }, () => ({
        status: 200,
        body: settings,
      })),
  });
