import Type from 'typebox';
import { ownAccount } from '../access/account.ts';
import { sql } from '../db/sql.ts';
import { type Listed, listed, page } from '../http/list.ts';
import { cursorInvalid, pages } from '../http/paging.ts';
import { route } from '../http/route.ts';
import { INVOICE_RULES, invoice, invoicesOf } from './invoices/invoice.ts';

/** The invoices and notes of the caller. */
export const listInvoices = route({
  method: 'GET',
  path: '/api/billing/invoices',
  area: 'Billing',
  operationId: 'list_invoices',
  summary: 'List invoices',
  description: `The caller's invoices: ${INVOICE_RULES}`,
  access: ownAccount,
  query: Type.Object(pages),
  responses: { 200: invoice.listed('Newest first.') },
  errors: [cursorInvalid],
  handle: ({ query, url, statement }) =>
    statement<Listed>(
      { select: listed(invoicesOf(sql`(select account_id from authorized)`), query) },
      page(url, query.limit),
    ),
});
