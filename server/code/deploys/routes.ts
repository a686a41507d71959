import { getDeploy } from './get-deploy.ts';
import { getDeployLog } from './get-deploy-log.ts';
import { listDeploys } from './list-deploys.ts';

export const deployRoutes = [listDeploys, getDeploy, getDeployLog];
