import type { Route } from '../../http/route.ts';
import { getOdooInstance } from './get-odoo-instance.ts';
import { getOdooInstanceLog } from './get-odoo-instance-log.ts';
import { listOdooInstanceMails } from './list-odoo-instance-mails.ts';
import { openOdooInstance } from './open-odoo-instance.ts';
import { resetOdooInstance, restartOdooInstance } from './restart-odoo-instance.ts';
import { type InstanceServices, startOdooInstance } from './start-odoo-instance.ts';
import { stopOdooInstance } from './stop-odoo-instance.ts';

export const instanceRoutes = (services: InstanceServices): Route[] => [
  getOdooInstance,
  startOdooInstance(services),
  stopOdooInstance,
  restartOdooInstance,
  resetOdooInstance,
  openOdooInstance,
  getOdooInstanceLog,
  listOdooInstanceMails,
];
