import type { Outgoing } from '../platform/outgoing/outgoing.ts';
import { probeOdooLogin } from './probe-odoo-login.ts';
import { probeOdooUrl } from './probe-odoo-url.ts';

/** ERP servers, and the connections of projects to them. */
export const erpRoutes = (services: { outgoing: Outgoing }) => [
  probeOdooUrl(services),
  probeOdooLogin(services),
];
