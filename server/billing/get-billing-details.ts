import { ownAccount } from '../access/account.ts';
import { type Shown, shownAs } from '../http/change.ts';
import { route } from '../http/route.ts';
import { detailsAnswer, detailsOfAccount } from './invoices/details.ts';

/** What invoices to the caller say of them. */
export const getBillingDetails = route({
  method: 'GET',
  path: '/api/billing/details',
  area: 'Billing',
  operationId: 'get_billing_details',
  summary: 'Get the billing details',
  description: 'What invoices to the caller say of them. Fields that were never set are omitted.',
  access: ownAccount,
  responses: detailsAnswer,
  errors: [],
  handle: ({ statement }) => statement<Shown>(detailsOfAccount, (row) => shownAs(200, row)),
});
