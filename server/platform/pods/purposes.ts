/** What commands of a project run in pods for, in the order in which people see it. */
export const PURPOSES = ['setup', 'agent', 'checks', 'deploy'] as const;

export type Purpose = (typeof PURPOSES)[number];
