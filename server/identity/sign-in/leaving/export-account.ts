import Type from 'typebox';
import { ownSession } from '../../../access/session.ts';
import { exportBusy } from '../../../http/exports.ts';
import { route } from '../../../http/route.ts';
import { recordChange } from '../../../platform/audit/audit.ts';
import { accountFile } from './account-file.ts';

const list = () => Type.Array(Type.Unknown());

/** What this server knows of the caller, as a file. */
export const exportAccount = route({
  method: 'GET',
  path: '/auth/account/export',
  area: 'Sign-in',
  operationId: 'export_account',
  summary: 'Export what is yours',
  description:
    'What this server knows of you, as one JSON file, of one moment: profile, ways to sign in, ' +
    'sessions, API keys, memberships, settings, cards and invoices by their numbers, postings of ' +
    'your own balance, tasks, messages, comments and approvals of yours, and what the audit trail ' +
    'says you did. No password, key or other secret. Every export is recorded. A download that ' +
    'does not end properly is incomplete: ask for it again.',
  credential: 'session',
  access: ownSession,
  responses: {
    200: {
      description: 'The file.',
      schema: Type.Object(
        {
          version: Type.Integer(),
          exported_at: Type.String(),
          profile: list(),
          audit_events: list(),
        },
        { $id: 'AccountFile', additionalProperties: true },
      ),
      example: {
        version: 1,
        exported_at: '2026-11-21T08:15:30.123Z',
        profile: [],
        audit_events: [],
      },
    },
  },
  errors: [exportBusy],
  handle: async ({ requestId, load, begin, snapshot }) => {
    const { userId, keyId, sessionId } = await load();
    const change = { action: 'account.export', target: userId, before: {}, after: { version: 1 } };
    const caller = { userId, keyId, sessionId };
    async function* chunks(): AsyncGenerator<string, void> {
      await begin((tx) => recordChange(tx, { caller, ...change, requestId }));
      yield* snapshot((tx) => accountFile(tx, userId));
    }
    return {
      status: 200,
      download: { name: 'account.json', mediaType: 'application/json', chunks: chunks() },
    };
  },
});
