import { type Shown, shownAs } from '../http/change.ts';
import { detailsAnswer, detailsOfAccount } from './invoices/details.ts';
import { onBothAccounts } from './on-both-accounts.ts';

/** What invoices to the caller, or to a workspace, say of them. */
export const [getBillingDetails, getWorkspaceBillingDetails] = onBothAccounts(
  {
    method: 'GET',
    path: '/details',
    responses: detailsAnswer,
    errors: [],
    handle: ({ statement }) => statement<Shown>(detailsOfAccount, (row) => shownAs(200, row)),
  },
  {
    operationId: 'get_billing_details',
    summary: 'Get the billing details',
    description: 'What invoices to the caller say of them. Fields that were never set are omitted.',
  },
  {
    operationId: 'get_workspace_billing_details',
    summary: "Get a workspace's billing details",
    description:
      'What invoices to the workspace say of it. Owners and admins only. Fields that were never ' +
      'set are omitted.',
    permission: 'see_billing',
  },
);
