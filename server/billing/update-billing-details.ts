import { ownAccount } from '../access/account.ts';
import { route } from '../http/route.ts';
import { DETAILS_RULES, detailsContract, updateDetails } from './invoices/details.ts';

/** Changes what later invoices to the caller say of them. */
export const updateBillingDetails = route({
  ...detailsContract,
  method: 'PUT',
  path: '/api/billing/details',
  area: 'Billing',
  operationId: 'update_billing_details',
  summary: 'Update the billing details',
  description: `Changes what later invoices to the caller say of them. ${DETAILS_RULES}`,
  access: ownAccount,
  handle: updateDetails,
});
