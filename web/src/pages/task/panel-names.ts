/**
 * What the page of a task shows, in the order of its tabs, as the address names it: the conversation,
 * which is one on a narrow screen alone, and the documents.
 */
export const VIEW_NAMES = [
  'chat',
  'plan',
  'code',
  'pull-request',
  'files',
  'erp',
  'pod',
  'cost',
] as const;

export type ViewName = (typeof VIEW_NAMES)[number];

/** The documents of a task. */
export type PanelName = Exclude<ViewName, 'chat'>;
