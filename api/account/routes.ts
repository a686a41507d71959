import type { Route } from '../http/route.ts';
import { getConfig, type ShownConfig } from './get-config.ts';

export const accountRoutes = (config: ShownConfig): Route[] => [getConfig(config)];
