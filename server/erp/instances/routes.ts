import type { Route } from '../../http/route.ts';
import { getOdooInstance } from './get-odoo-instance.ts';
import type { InstanceSettings } from './offered.ts';
import { startOdooInstance } from './start-odoo-instance.ts';
import { stopOdooInstance } from './stop-odoo-instance.ts';

/** `offered`: the versions and editions that can be run, each as "version edition". */
export const instanceRoutes = (settings: InstanceSettings, offered: readonly string[]): Route[] => [
  getOdooInstance,
  startOdooInstance(settings, offered),
  stopOdooInstance,
];
