import { onOwnInvoice } from '../access/invoice.ts';
import { forbidden, notFound } from '../http/errors.ts';
import { ids, route } from '../http/route.ts';
import { invoice, theInvoice } from './invoices/invoice.ts';

/** An invoice or a note to the caller. */
export const getInvoice = route({
  method: 'GET',
  path: '/api/billing/invoices/{invoice_id}',
  area: 'Billing',
  operationId: 'get_invoice',
  summary: 'Get an invoice',
  description: 'An invoice, credit note or debit note to the caller.',
  access: onOwnInvoice,
  params: ids('invoice_id'),
  responses: { 200: invoice.shown('The invoice.', []) },
  errors: [notFound, forbidden],
  handle: ({ statement }) =>
    statement<{ item: string }>(theInvoice, ({ item }) => ({ status: 200, body: item })),
});
