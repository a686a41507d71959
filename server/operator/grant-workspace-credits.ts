import { onAnyWorkspace } from '../access/operator.ts';
import { notFound, operatorRequired } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { grant, grantBody, grantErrors, granted, grantSample } from './grant.ts';

/** Adds to the balance of a workspace what no card pays. */
export const grantWorkspaceCredits = route({
  method: 'POST',
  path: '/api/operator/organizations/{org_id}/credits',
  area: 'Operation',
  operationId: 'grant_workspace_credits',
  summary: 'Grant credits to a workspace',
  description:
    'Adds to the balance of the workspace what no card pays: one posting of the ledger, which refers to ' +
    'the row of the audit trail with who did it and why. Operators only.',
  access: onAnyWorkspace,
  proof: true,
  auditDenied: { action: 'credits.grant', target: 'org_id', forOperators: true },
  params: ids('org_id'),
  body: grantBody,
  sample: grantSample,
  responses: granted,
  errors: [operatorRequired, notFound, ...grantErrors],
  handle: ({ body, requestId, transaction }) =>
    transaction((tx, { target_id, ...caller }) =>
      grant(tx, { workspaceId: target_id }, { ...body, caller, requestId }),
    ),
});
