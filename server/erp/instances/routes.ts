import type { Route } from '../../http/route.ts';
import { getOdooInstance } from './get-odoo-instance.ts';
import { type InstanceServices, startOdooInstance } from './start-odoo-instance.ts';
import { stopOdooInstance } from './stop-odoo-instance.ts';

export const instanceRoutes = (services: InstanceServices): Route[] => [
  getOdooInstance,
  startOdooInstance(services),
  stopOdooInstance,
];
