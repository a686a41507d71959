import { onPerson } from '../access/operator.ts';
import { notFound, operatorRequired } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { grant, grantBody, grantErrors, granted, grantSample } from './grant.ts';

/** Adds to the balance of a person what no card pays. */
export const grantUserCredits = route({
  method: 'POST',
  path: '/api/operator/users/{user_id}/credits',
  area: 'Operation',
  operationId: 'grant_user_credits',
  summary: 'Grant credits to a person',
  description:
    'Adds to the balance of the person, for their personal projects what no card pays: one posting of the ledger, which refers to ' +
    'the row of the audit trail with who did it and why. Operators only.',
  access: onPerson,
  proof: true,
  auditDenied: { action: 'credits.grant', target: 'user_id', forOperators: true },
  params: ids('user_id'),
  body: grantBody,
  sample: grantSample,
  responses: granted,
  errors: [operatorRequired, notFound, ...grantErrors],
  handle: ({ body, requestId, transaction }) =>
    transaction((tx, { target_id, ...caller }) =>
      grant(tx, { userId: target_id }, { ...body, caller, requestId }),
    ),
});
