import type { components } from '@guildhall/client';

export type Project = components['schemas']['Project'];
