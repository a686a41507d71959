import Type from 'typebox';
import { acrossWorkspaces } from '../access/account.ts';
import { object } from '../http/input/fields.ts';
import { route } from '../http/route.ts';
import type { Outgoing } from '../platform/outgoing/outgoing.ts';
import { odooFields } from './fields.ts';
import { probeLogin } from './odoo/probing.ts';
import { exampleProbe, probe } from './probe.ts';

/** Whether a login to an Odoo server works. Neither it nor the outcome is stored. */
export const probeOdooLogin = ({ outgoing }: { outgoing: Outgoing }) =>
  route({
    method: 'POST',
    path: '/api/odoo-connections/probe-login',
    area: 'Odoo Connections',
    operationId: 'probe_odoo_login',
    summary: 'Probe a login',
    description:
      'Whether a login to an Odoo server works, what it may do there, and when its API key expires. ' +
      'The answer is 200 whatever was found; `code` says what is wrong. It takes at most ten ' +
      'seconds, and the login is stored nowhere.',
    access: acrossWorkspaces,
    body: object({
      url: odooFields.url(),
      database: Type.Optional(odooFields.database()),
      login: Type.Optional(odooFields.login()),
      secret: odooFields.secret(),
      kind: Type.Optional(odooFields.kind()),
      erp_version: Type.Optional(odooFields.erpVersion()),
    }),
    sample: ({ odoo_url }) => ({
      body: {
        url: odoo_url,
        database: 'acme',
        login: 'guildhall',
        secret: '3f1c0a9e8b7d6c5f4e3d2c1b0a99887766554433',
      },
    }),
    responses: { 200: { description: 'What was found.', schema: probe, example: exampleProbe } },
    errors: [],
    handle: async ({ body, load, take }) => {
      const { userId: askedBy } = await load();
      await take('probes');
      const { erp_version: erpVersion, ...login } = body;
      return { status: 200, body: await probeLogin(outgoing, { ...login, erpVersion, askedBy }) };
    },
  });
