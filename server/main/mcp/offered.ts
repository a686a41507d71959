/**
 * The operations that are tools, by what a conversation about a task asks for first. `destructive`
 * ones cannot be taken back; `required` fields must be sent although the route can do without.
 */
export const OFFERED: readonly Offer[] = [
  { operationId: 'list_workspaces' },
  { operationId: 'list_projects' },
  { operationId: 'list_members' },
  { operationId: 'list_project_people' },
  { operationId: 'list_my_tasks' },
  { operationId: 'list_tasks' },
  { operationId: 'create_task' },
  { operationId: 'get_task' },
  { operationId: 'cancel_task', destructive: true },
  { operationId: 'list_messages' },
  { operationId: 'create_message' },
  { operationId: 'list_requests' },
  { operationId: 'answer_request' },
  { operationId: 'get_plan' },
  { operationId: 'list_plan_versions' },
  { operationId: 'get_plan_diff' },
  // Whoever approves must have seen what: without its version, a plan of a moment ago is approved.
  { operationId: 'approve_plan', destructive: true, required: ['version'] },
  { operationId: 'request_plan_changes' },
  { operationId: 'get_task_diff' },
  { operationId: 'get_pull_request' },
  { operationId: 'open_pull_request' },
  { operationId: 'list_checks' },
  { operationId: 'get_check_log' },
  { operationId: 'merge_task', destructive: true },
  { operationId: 'get_merge' },
  { operationId: 'get_balance' },
  { operationId: 'get_workspace_balance' },
  { operationId: 'get_usage' },
  { operationId: 'get_workspace_usage' },
];

export interface Offer {
  operationId: string;
  destructive?: true;
  required?: readonly string[];
}

/** What a client can read of a task by an address of its own, and the operation that answers it. */
export const READABLE: readonly Readable[] = [
  {
    name: 'plan',
    title: 'Plan of a task',
    operationId: 'get_plan',
    description: 'The plan in its current version, with what was approved of it.',
    mimeType: 'application/json',
  },
  {
    name: 'diff',
    title: 'Code changes of a task',
    operationId: 'get_task_diff',
    query: { format: 'patch' },
    description: 'The code of the branch of the task against what it began with, as a patch.',
    mimeType: 'text/plain',
  },
  {
    name: 'log',
    title: 'Log of the pod of a task',
    operationId: 'get_pod_log',
    description: 'The last 64 KiB that agents have written to standard error.',
    mimeType: 'text/plain',
  },
];

export interface Readable {
  name: string;
  title: string;
  operationId: string;
  query?: Record<string, string>;
  description: string;
  mimeType: string;
}
