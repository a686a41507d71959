import Type from 'typebox';
import { onPerson } from '../access/operator.ts';
import { apiError, notFound, operatorRequired } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { timestamp } from '../http/timestamps.ts';
import { createSignInLink as create, LINK_MINUTES, lockUser } from '../identity/index.ts';
import { recordChange } from '../platform/audit/audit.ts';

const deactivated = apiError(
  409,
  'user_deactivated',
  'The person is deactivated: activate them first',
);

/** Makes a link that an operator gives to a person who cannot sign in. */
export const createSignInLink = ({ publicUrl }: { publicUrl: string }) =>
  route({
    method: 'POST',
    path: '/api/operator/users/{user_id}/sign-in-link',
    area: 'Operation',
    operationId: 'create_sign_in_link',
    summary: 'Make a sign-in link for a person',
    description:
      `Makes a link that signs the person in once, within ${LINK_MINUTES} minutes; a second factor ` +
      'is still asked for. It replaces their earlier one, and is shown only here. Whoever opens it ' +
      'acts as that person, so they are told by mail, and no API key is enough. Operators only.',
    credential: 'proven-session',
    access: onPerson,
    auditDenied: { action: 'sign_in_link.create', target: 'user_id', forOperators: true },
    params: ids('user_id'),
    sample: () => ({}),
    responses: {
      201: {
        description: 'The link.',
        schema: Type.Object(
          { link: Type.String(), expires_at: timestamp() },
          { $id: 'NewSignInLink' },
        ),
        example: {
          link: 'https://guildhall.example.com/links/…',
          expires_at: '2026-11-21T09:15:30.123Z',
        },
      },
    },
    errors: [operatorRequired, notFound, deactivated],
    handle: ({ requestId, transaction }) =>
      transaction(async (tx, { target_id: userId, ...caller }) => {
        const user = await lockUser(tx, { id: userId });
        if (user === undefined) throw notFound();
        if (!user.is_active) throw deactivated();
        const { id, token, expiresAt } = await create(tx, userId);
        const expires_at = expiresAt.toISOString();
        await recordChange(tx, {
          caller,
          action: 'sign_in_link.create',
          target: userId,
          after: { sign_in_link_id: id, expires_at },
          requestId,
          forOperators: true,
        });
        return { status: 201, body: { link: `${publicUrl}/links/${token}`, expires_at } };
      }),
  });
