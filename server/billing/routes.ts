import type { Route } from '../http/route.ts';
import type { BillingMode } from '../platform/config/config.ts';
import { addFunds } from './add-funds.ts';
import { beginTopUp } from './begin-top-up.ts';
import { cancelTopUp } from './cancel-top-up.ts';
import { cardRoutes } from './card-routes.ts';
import type { CardSetups } from './cards/card-setups.ts';
import { completeTopUp } from './complete-top-up.ts';
import { exportTransactions } from './export-transactions.ts';
import { exportWorkspaceTransactions } from './export-workspace-transactions.ts';
import { getAutoReload, getWorkspaceAutoReload } from './get-auto-reload.ts';
import { getBalance, getWorkspaceBalance } from './get-balance.ts';
import { getBillingDetails, getWorkspaceBillingDetails } from './get-billing-details.ts';
import { getInvoice } from './get-invoice.ts';
import { getInvoicePdf } from './get-invoice-pdf.ts';
import { getSpendLimits, getWorkspaceSpendLimits } from './get-spend-limits.ts';
import { getWorkspaceInvoice } from './get-workspace-invoice.ts';
import { getWorkspaceInvoicePdf } from './get-workspace-invoice-pdf.ts';
import type { PdfAnswer } from './invoices/pdf-answer.ts';
import { listInvoices, listWorkspaceInvoices } from './list-invoices.ts';
import { listTransactions } from './list-transactions.ts';
import { listWorkspaceTransactions } from './list-workspace-transactions.ts';
import { needsCards } from './mode/card-refusals.ts';
import type { TopUpLimits } from './top-ups/top-up.ts';
import type { TopUps } from './top-ups/top-ups.ts';
import { updateAutoReload } from './update-auto-reload.ts';
import { updateBillingDetails, updateWorkspaceBillingDetails } from './update-billing-details.ts';
import { updateSpendLimits, updateWorkspaceSpendLimits } from './update-spend-limits.ts';

interface BillingServices {
  topUps: TopUps;
  cardSetups: CardSetups;
  topUpLimits: TopUpLimits;
  invoicePdf: PdfAnswer;
  /** Whether cards are taken depends on it. */
  billingMode: BillingMode | undefined;
}

export const billingRoutes = (services: BillingServices) => {
  const card = (operation: Route) => needsCards(operation, services.billingMode);
  const reload = (operation: Route) =>
    needsCards(
      operation,
      services.billingMode,
      (body) => (body as { enabled?: boolean }).enabled === false,
    );
  const [addOwn, addWorkspace] = addFunds(services);
  const [beginOwn, beginWorkspace] = beginTopUp(services);
  const [updateOwnReload, updateWorkspaceReload] = updateAutoReload(services);
  return [
    getBalance,
    card(addOwn),
    ...cardRoutes(services),
    card(beginOwn),
    completeTopUp(services),
    cancelTopUp(services),
    listTransactions,
    exportTransactions,
    getAutoReload,
    reload(updateOwnReload),
    getBillingDetails,
    getInvoice,
    getInvoicePdf(services),
    getSpendLimits,
    listInvoices,
    updateBillingDetails,
    updateSpendLimits,
    getWorkspaceBalance,
    card(addWorkspace),
    card(beginWorkspace),
    listWorkspaceTransactions,
    exportWorkspaceTransactions,
    getWorkspaceAutoReload,
    reload(updateWorkspaceReload),
    getWorkspaceBillingDetails,
    getWorkspaceInvoice,
    getWorkspaceInvoicePdf(services),
    getWorkspaceSpendLimits,
    listWorkspaceInvoices,
    updateWorkspaceBillingDetails,
    updateWorkspaceSpendLimits,
  ];
};
