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

/** `mode`: how work is paid for; whether cards are taken depends on it. */
export const billingRoutes = (
  topUps: TopUps,
  setups: CardSetups,
  limits: TopUpLimits,
  pdf: PdfAnswer,
  mode: BillingMode | undefined,
) => {
  const card = (operation: Route) => needsCards(operation, mode);
  const reload = (operation: Route) =>
    needsCards(operation, mode, (body) => (body as { enabled?: boolean }).enabled === false);
  const [addOwn, addWorkspace] = addFunds(topUps, limits);
  const [beginOwn, beginWorkspace] = beginTopUp(topUps, limits, setups.publishableKey);
  const [updateOwnReload, updateWorkspaceReload] = updateAutoReload(limits);
  return [
    getBalance,
    card(addOwn),
    ...cardRoutes(setups, mode),
    card(beginOwn),
    completeTopUp(topUps, setups.publishableKey),
    cancelTopUp(topUps, setups.publishableKey),
    listTransactions,
    exportTransactions,
    getAutoReload,
    reload(updateOwnReload),
    getBillingDetails,
    getInvoice,
    getInvoicePdf(pdf),
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
    getWorkspaceInvoicePdf(pdf),
    getWorkspaceSpendLimits,
    listWorkspaceInvoices,
    updateWorkspaceBillingDetails,
    updateWorkspaceSpendLimits,
  ];
};
