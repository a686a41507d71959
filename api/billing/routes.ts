import { addFunds } from './add-funds.ts';
import { addWorkspaceFunds } from './add-workspace-funds.ts';
import { exportTransactions } from './export-transactions.ts';
import { exportWorkspaceTransactions } from './export-workspace-transactions.ts';
import { getAutoReload } from './get-auto-reload.ts';
import { getBalance } from './get-balance.ts';
import { getWorkspaceAutoReload } from './get-workspace-auto-reload.ts';
import { getWorkspaceBalance } from './get-workspace-balance.ts';
import { listPaymentMethods } from './list-payment-methods.ts';
import { listTransactions } from './list-transactions.ts';
import { listWorkspaceTransactions } from './list-workspace-transactions.ts';
import type { TopUpLimits } from './top-ups/top-up.ts';
import type { TopUps } from './top-ups/top-ups.ts';
import { updateAutoReload } from './update-auto-reload.ts';
import { updateWorkspaceAutoReload } from './update-workspace-auto-reload.ts';

export const billingRoutes = (topUps: TopUps, limits: TopUpLimits) => [
  getBalance,
  addFunds(topUps, limits),
  listPaymentMethods,
  listTransactions,
  exportTransactions,
  getAutoReload,
  updateAutoReload(limits),
  getWorkspaceBalance,
  addWorkspaceFunds(topUps, limits),
  listWorkspaceTransactions,
  exportWorkspaceTransactions,
  getWorkspaceAutoReload,
  updateWorkspaceAutoReload(limits),
];
