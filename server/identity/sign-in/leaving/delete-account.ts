import Type from 'typebox';
import { lockedSelf } from '../../../access/session.ts';
import {
  balanceLimit,
  closeWorkspaceAccount,
  forgetPayer,
  giveUpBalance,
  moneyOfLeaving,
} from '../../../billing/index.ts';
import type { Tx } from '../../../db/database/database.ts';
import { sql } from '../../../db/sql.ts';
import type { Caller } from '../../../http/caller.ts';
import { apiError } from '../../../http/errors.ts';
import { uuid } from '../../../http/input/fields.ts';
import { route } from '../../../http/route.ts';
import { setSessionCookie } from '../../../http/session-cookie.ts';
import { timestamp } from '../../../http/timestamps.ts';
import { dissolve, endMembership } from '../../../organizations/index.ts';
import { actor, recordChange } from '../../../platform/audit/audit.ts';
import { forgetPerson } from './forget-person.ts';
import { lockWhatIsTheirs, placesBlocked, type Theirs } from './places.ts';

const hasBlockers = apiError(
  409,
  'account_has_blockers',
  'Something still depends on your account: resolve the blockers, then delete it',
);

/** What other areas do when a person leaves for good. */
export interface LeavingServices {
  publicUrl: string;
  /** Deletes a project with everything in it. */
  removeProject(tx: Tx, projectId: string): Promise<{ tasks_deleted: number }>;
  /** Pauses a routine whose person may not begin tasks any more. */
  pauseRoutine(tx: Tx, routineId: string, reason: 'right_ended'): Promise<unknown>;
}

/**
 * Deletes the account of the caller for good. What they did stays, under the same id and a
 * pseudonym: nobody learns from it who they were. One transaction; cards at the processor, bytes of
 * files, and mentions of their address in what others wrote follow from its outbox.
 */
export const deleteAccount = ({ publicUrl, removeProject, pauseRoutine }: LeavingServices) =>
  route({
    method: 'DELETE',
    path: '/auth/account',
    area: 'Sign-in',
    operationId: 'delete_account',
    summary: 'Delete your account',
    description:
      'Deletes your account for good: name, address, keys, sessions, cards, settings, memberships, ' +
      'personal projects, and workspaces that nobody else has a part in. What you did in projects ' +
      'of others stays, as that of a former member; so do the ledger, invoices and the audit trail. ' +
      'While something depends on the account it is refused with `blockers`, each with a `code`, a ' +
      '`message` that says what to do, and the id of what it is about. The address may sign up ' +
      'again, as somebody new.',
    credential: 'proven-session',
    access: lockedSelf,
    auditDenied: { action: 'account.delete' },
    query: Type.Object({
      give_up_balance: Type.Optional(
        Type.Boolean({ description: 'Whether what is left of your balance is given up.' }),
      ),
    }),
    responses: {
      200: {
        description: 'What went with the account. The session has ended.',
        schema: Type.Object(
          {
            id: uuid(),
            status: Type.Enum(['deleted']),
            deleted_at: timestamp(),
            workspaces_left: Type.Integer(),
            workspaces_deleted: Type.Integer(),
            projects_deleted: Type.Integer(),
            balance_given_up: Type.String({ description: 'USD' }),
          },
          { $id: 'AccountDeleted' },
        ),
        example: {
          id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
          status: 'deleted',
          deleted_at: '2026-11-21T08:15:30.123Z',
          workspaces_left: 2,
          workspaces_deleted: 1,
          projects_deleted: 3,
          balance_given_up: '0.00',
        },
      },
    },
    errors: [hasBlockers, balanceLimit],
    handle: ({ query: { give_up_balance = false }, requestId, transaction }) =>
      transaction(async (tx, { userId, keyId, sessionId }) => {
        const by = { caller: { userId, keyId, sessionId }, requestId };
        const theirs = await lockWhatIsTheirs(tx, userId);
        const { account, blockers } = await moneyOfLeaving(tx, userId, give_up_balance);
        blockers.unshift(...(await placesBlocked(tx, userId, theirs)));
        if (blockers.length > 0) throw hasBlockers({ blockers });

        const routines = await tx.many<{ id: string }>(sql`
          select id from routine where on_behalf_of_user_id = ${userId} and enabled order by id`);
        for (const { id } of routines) await pauseRoutine(tx, id, 'right_ended');
        await leave(tx, userId, theirs, by);
        await removeProjects(tx, theirs, by, removeProject);
        await removeWorkspaces(tx, userId, theirs, by);
        const balance_given_up = await giveUpBalance(tx, account, ({ id, amount }) =>
          recordGift(tx, by, { id, amount }),
        );
        await forgetPayer(tx, userId, account.id);
        const deleted_at = await forgetPerson(tx, userId);
        const counts = {
          workspaces_left: theirs.joined.length,
          workspaces_deleted: theirs.owned.length,
          projects_deleted: theirs.projects.length,
        };
        const change = { action: 'account.delete', target: userId, before: {} };
        await recordChange(tx, { ...by, ...change, after: { ...counts, balance_given_up } });
        const body = { id: userId, status: 'deleted', deleted_at, ...counts, balance_given_up };
        return { status: 200, body, cookies: [setSessionCookie(publicUrl, '')] };
      }),
  });

type By = { caller: Caller; requestId: string };

async function leave(tx: Tx, userId: string, { joined }: Theirs, by: By): Promise<void> {
  for (const { organizationId } of joined)
    await endMembership(tx, { organizationId, userId, ...by });
  await tx.many(sql`delete from project_grant where user_id = ${userId}`);
}

async function removeProjects(
  tx: Tx,
  { projects }: Theirs,
  by: By,
  removeProject: LeavingServices['removeProject'],
): Promise<void> {
  for (const { projectId, organizationId, name } of projects) {
    const { tasks_deleted } = await removeProject(tx, projectId);
    await recordChange(tx, {
      ...by,
      action: 'project.delete',
      target: projectId,
      organizationId,
      projectId,
      before: { name },
      after: { tasks_deleted },
    });
  }
}

async function removeWorkspaces(tx: Tx, userId: string, { owned }: Theirs, by: By): Promise<void> {
  for (const { organizationId, name } of owned) {
    await closeWorkspaceAccount(tx, organizationId, userId);
    const { invitations_revoked } = await dissolve(tx, organizationId, userId);
    await recordChange(tx, {
      ...by,
      action: 'workspace.delete',
      target: organizationId,
      organizationId,
      before: { name },
      after: { invitations_revoked },
    });
  }
}

// The posting refers to it by its id.
const recordGift = async (tx: Tx, by: By, { id, amount }: { id: string; amount: string }) => {
  await tx.many(sql`
    with ${actor(by.caller)}
    insert into audit_event (id, actor_user_id, key_id, session_id, action, outcome, target_id,
                             before, after, request_id)
    select ${id}::uuid, user_id, key_id, session_id, 'balance.give_up', 'done', user_id::text,
           ${{ balance: amount }}::jsonb, ${{ balance: '0.00' }}::jsonb, ${by.requestId}
      from caller`);
};
