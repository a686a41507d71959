/** The documents of a task, in the order of their tabs, as the address names them. */
export const PANEL_NAMES = ['plan', 'code', 'pull-request', 'files', 'erp', 'pod', 'cost'] as const;

export type PanelName = (typeof PANEL_NAMES)[number];
