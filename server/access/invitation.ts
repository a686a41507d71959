import { sameMailbox } from '../db/addresses.ts';
import { type Sql, sql } from '../db/sql.ts';
import type { Access } from '../http/route.ts';

type InPath = { params: { invitation_id: string } };

/** An invitation, for the person whose address it was sent to. */
export interface ReceivedInvitation {
  invitation_id: string;
  /** The workspace that the person may join; null for an invitation to a project. */
  workspace_id: string | null;
  project_id: string | null;
  /** The workspace of that project, if it has one. */
  project_workspace_id: string | null;
  generation: number;
  expired: boolean;
}

// For anyone else an invitation is forbidden whatever became of it, so that nothing is learnt about
// it. It belongs to no workspace of the caller yet, so `organization_id` is null, and a key that is
// restricted to one workspace cannot answer it.
const received = (id: string, { open, denied }: { open: Sql; denied: Sql }): Sql => sql`
  access as materialized (
    select true as found, null::uuid as organization_id, i.id as invitation_id,
           i.organization_id as workspace_id, i.project_id,
           p.organization_id as project_workspace_id, i.generation,
           i.expires_at <= now() as expired,
           case when me.id is null then 'forbidden' ${denied} end as denied_because
      from invitation i cross join caller
      left join app_user me on me.id = caller.user_id and ${sameMailbox(sql`me.email`, sql`i.email`)}
      left join organization o on o.id = i.organization_id
      left join project p on p.id = i.project_id
     where i.id = ${id} and (me.id is null or ${open}))`;

// Whoever joined a project may have become its owner, or a member of its workspace, since.
const belongs = sql`
  exists (select from membership m
           where m.organization_id in (i.organization_id, p.organization_id) and m.user_id = me.id)
  or exists (select from project_grant g
              where g.project_id = i.project_id and g.user_id = me.id)
  or p.owner_user_id is not distinct from me.id`;

const pending = sql`i.status = 'pending'`;

/**
 * The open invitation in the path, for the person it was sent to. A change locks what it is to
 * first, then the invitation (ruling 5.6). The two-factor policy of a workspace applies: it would
 * keep the new member out.
 */
export const onReceivedInvitation: Access<InPath, ReceivedInvitation> = {
  locks: ({ params }) => sql`select lock_invitation(${params.invitation_id})`,
  sql: ({ params }) =>
    received(params.invitation_id, {
      open: pending,
      denied: sql`when o.require_2fa and not caller.two_factor then 'two_factor_required'`,
    }),
};

/** The same for a person who does not want to join, so without the two-factor policy. */
export const onUnwantedInvitation: Access<InPath, ReceivedInvitation> = {
  sql: ({ params }) => received(params.invitation_id, { open: pending, denied: sql`` }),
};

/**
 * Who may see the answer to the acceptance again: the person it was sent to, as long as they still
 * belong to what they joined (ruling 1.11).
 */
export const onAcceptedInvitation: Access<InPath, ReceivedInvitation> = {
  sql: ({ params }) =>
    received(params.invitation_id, {
      open: sql`true`,
      denied: sql`
                when i.status = 'accepted' and not (${belongs}) then 'forbidden'
                when o.require_2fa and not caller.two_factor then 'two_factor_required'`,
    }),
};

/** An invitation in the path that may have been answered already, for who it was sent to. */
export const onAnsweredInvitation: Access<InPath, ReceivedInvitation> = {
  sql: ({ params }) => received(params.invitation_id, { open: sql`true`, denied: sql`` }),
};
