export type Project = components['schemas']['Project'];
