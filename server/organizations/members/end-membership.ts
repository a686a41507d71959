import Type from 'typebox';
import { stopChargingCardsOf } from '../../billing/index.ts';
import type { Tx } from '../../db/database/database.ts';
import { sql } from '../../db/sql.ts';
import type { Caller } from '../../http/caller.ts';
import { uuid } from '../../http/input/fields.ts';
import { recordChange } from '../../platform/audit/audit.ts';

/** What ended together with a membership. */
interface Receipt {
  user_id: string;
  teams_left: number;
  overrides_removed: number;
}

/** The answer of every operation that ends a membership. */
export const receipt = {
  description: 'What ended with the membership.',
  schema: Type.Object({
    user_id: uuid(),
    teams_left: Type.Integer({ description: 'Teams of the workspace that the person was in.' }),
    overrides_removed: Type.Integer({
      description: 'Projects of the workspace on which the person had a role of their own.',
    }),
  }),
  example: {
    user_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    teams_left: 2,
    overrides_removed: 1,
  },
};

/**
 * Ends the membership of a person who is not the owner, and with it their teams, their roles on
 * projects of the workspace, and auto-reload if it charges their card, because a card is never
 * charged for another person's workspace. Lock the workspace first (ruling 5.6).
 */
export async function endMembership(
  tx: Tx,
  {
    organizationId,
    userId,
    ...by
  }: { organizationId: string; userId: string; caller: Caller; requestId: string },
): Promise<Receipt> {
  const { role, ...counts } = await remove(tx, organizationId, userId);
  const ended = { user_id: userId, ...counts };
  await recordChange(tx, {
    ...by,
    action: userId === by.caller.userId ? 'member.leave' : 'member.remove',
    target: userId,
    organizationId,
    before: { role },
    after: ended,
  });
  await endAutoReload(tx, { organizationId, userId, ...by });
  return ended;
}

/**
 * Switches auto-reload of the workspace off if it charges a card of a person who may not see its
 * billing any more: they could neither switch it off themselves nor remove the card.
 */
export async function endAutoReload(
  tx: Tx,
  {
    organizationId,
    userId,
    ...by
  }: { organizationId: string; userId: string; caller: Caller; requestId: string },
): Promise<void> {
  const accountId = await stopChargingCardsOf(tx, organizationId, userId);
  if (accountId === undefined) return;
  await recordChange(tx, {
    ...by,
    action: 'auto_reload.switch_off',
    target: accountId,
    organizationId,
    before: { enabled: true },
    after: { enabled: false },
  });
}

// The membership is locked first, so that no team added meanwhile is left out of the count.
async function remove(
  tx: Tx,
  organizationId: string,
  userId: string,
): Promise<{ role: string; teams_left: number; overrides_removed: number }> {
  const { role } = await tx.one<{ role: string }>(sql`
    select r.slug as role
      from membership t join role r on r.id = t.role_id
     where t.organization_id = ${organizationId} and t.user_id = ${userId} for update of t`);
  const counts = await tx.one<{ teams_left: number; overrides_removed: number }>(sql`
    with teams as (
      delete from team_member
       where organization_id = ${organizationId} and user_id = ${userId} returning team_id),
    overrides as (
      delete from project_grant g using project p
       where p.id = g.project_id and p.organization_id = ${organizationId}
         and g.user_id = ${userId} returning g.project_id),
    ended as (
      delete from membership where organization_id = ${organizationId} and user_id = ${userId})
    select (select count(*)::int from teams) as teams_left,
           (select count(*)::int from overrides) as overrides_removed`);
  return { role, ...counts };
}
