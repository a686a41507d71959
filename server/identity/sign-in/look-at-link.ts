import Type from 'typebox';
import type { Database } from '../../db/database/database.ts';
import { apiError } from '../../http/errors.ts';
import { object, text } from '../../http/input/fields.ts';
import { publicRoute } from '../../http/public-route.ts';
import { openLink, passwordOf } from './sign-in-link.ts';

/** One answer for every link that does not work, so that it does not say why. */
export const linkUnusable = apiError(
  404,
  'link_unusable',
  'This link has expired, or was used or replaced: ask for a new one',
);

export const linkToken = () => text({ minLength: 1, maxLength: 100, writeOnly: true });

/** Looks at a link without using it: what it is for, and whose. */
export const lookAtLink = ({ db }: { db: Pick<Database, 'read'> }) =>
  publicRoute({
    method: 'POST',
    path: '/auth/links/look',
    area: 'Sign-in',
    operationId: 'look_at_link',
    summary: 'Look at a link',
    description: 'What a link is for. Looking changes nothing: mail scanners follow links too.',
    limit: 'signIn',
    body: object({ token: linkToken() }),
    sample: () => ({ body: { token: 'GlB6w7mQ97RrWZID3Yc_-X4a0CDjtMb50J6DoGH6UeY' } }),
    responses: {
      200: {
        description: 'What using it will do.',
        schema: Type.Object(
          {
            purpose: Type.Enum(['sign_up', 'reset', 'sign_in']),
            password: Type.Enum(['required', 'optional', 'none'], {
              description:
                'Whether using it takes a new password: it is optional for someone who has ' +
                'neither a password nor a second factor.',
            }),
            second_factor: Type.Enum(['none', 'asked', 'unknown'], {
              description:
                'Whether the account demands a second factor: `asked` is one that the person ' +
                'gives after this. `unknown` is one that they were imported with and that is not ' +
                'known here: without it no password lets them in, but a link that signs in does.',
            }),
            email: Type.String(),
          },
          { $id: 'Link' },
        ),
        example: {
          purpose: 'reset',
          password: 'required',
          second_factor: 'none',
          email: 'ada@example.com',
        },
      },
    },
    errors: [linkUnusable],
    handle: async ({ body, network, take }) => {
      const link = await openLink(db, body.token);
      if (link === undefined) {
        await take('failedAuth', network);
        throw linkUnusable();
      }
      const { purpose, second_factor, email } = link;
      return { status: 200, body: { purpose, password: passwordOf(link), second_factor, email } };
    },
  });
