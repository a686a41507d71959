import type { World } from './schema.ts';

type Plan = NonNullable<World['tasks'][number]['plan']>;

/** The rows of a task's plan, by table. `idOf`: the id of a user by handle. */
export function planRows(
  task_id: string,
  creator: string,
  plan: Plan,
  idOf: (handle: string) => string,
) {
  const written = new Map(plan.authors.map(({ version, by }) => [version, idOf(by)]));
  const approvals = approvalsOf(task_id, creator, plan, idOf);
  const approved_version = plan.approved_version ?? null;
  const current = approvals.find(({ version }) => version === approved_version);
  const byPolicy = approvals.filter(({ approval_source }) => approval_source === 'policy');
  return {
    plan_revision: plan.revisions.map((body, index) => ({
      task_id,
      version: index + 1,
      body,
      author_user_id: written.get(index + 1) ?? null,
    })),
    plan_approval: approvals,
    plan: {
      task_id,
      version: plan.revisions.length,
      approved_version,
      approved_by_user_id: current?.approved_by_user_id ?? null,
      approved_at: current?.approved_at ?? null,
      policy_version: lastUpTo(
        approved_version,
        byPolicy.map(({ version }) => version),
      ),
    },
    plan_comment: plan.comments.map(({ by, at, resolved_by, ...columns }) => ({
      task_id,
      ...columns,
      author_user_id: idOf(by),
      created_at: at,
      resolved_by_user_id: resolved_by === undefined ? null : idOf(resolved_by),
    })),
  };
}

/** A version that is approved without saying by whom was approved by the task's creator, now. */
function approvalsOf(
  task_id: string,
  creator: string,
  { approved_version, approvals }: Plan,
  idOf: (handle: string) => string,
) {
  const said = approvals.map(({ version, by, at, source }) => ({
    task_id,
    version,
    approved_by_user_id: idOf(by),
    approval_source: source,
    approved_at: at as string | null,
  }));
  if (approved_version === undefined || said.some(({ version }) => version === approved_version))
    return said;
  const source = 'person' as (typeof said)[number]['approval_source'];
  return [
    ...said,
    {
      task_id,
      version: approved_version,
      approved_by_user_id: creator,
      approval_source: source,
      approved_at: null,
    },
  ];
}

const lastUpTo = (most: number | null, versions: number[]): number | null =>
  most === null
    ? null
    : versions
        .filter((version) => version <= most)
        .reduce<number | null>((last, version) => Math.max(last ?? 0, version), null);
