/** The documents of a task beside its plan, its code and its Odoo, which arrive as one file. */

export { CostPanel } from './cost-panel.tsx';
export { FilesPanel } from './files-panel.tsx';
export { PodPanel } from './pod-panel.tsx';
export { PullRequestPanel } from './pull-request-panel.tsx';
