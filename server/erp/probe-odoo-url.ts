import Type from 'typebox';
import { acrossWorkspaces } from '../access/account.ts';
import { object } from '../http/input/fields.ts';
import { route } from '../http/route.ts';
import type { Outgoing } from '../platform/outgoing/outgoing.ts';
import { odooFields } from './fields.ts';
import { probeUrl } from './odoo/probing.ts';
import { probe } from './probe.ts';

/** Whether an Odoo answers at an address. Nothing is stored, and nothing of a workspace is shown. */
export const probeOdooUrl = ({ outgoing }: { outgoing: Outgoing }) =>
  route({
    method: 'POST',
    path: '/api/odoo-connections/probe-url',
    area: 'Odoo Connections',
    operationId: 'probe_odoo_url',
    summary: 'Probe an address',
    description:
      'Whether an Odoo server answers at an address, which version it is, and which databases it ' +
      'lists. The answer is 200 whatever was found; `code` says what is wrong. It takes at most ' +
      'ten seconds, and nothing is stored.',
    access: acrossWorkspaces,
    body: object({
      url: odooFields.url(),
      erp_version: Type.Optional(odooFields.erpVersion()),
    }),
    sample: ({ odoo_url }) => ({ body: { url: odoo_url } }),
    responses: {
      200: {
        description: 'What was found.',
        schema: probe,
        example: {
          reachable: true,
          tls: true,
          server_version: '18.0',
          edition: 'unknown',
          databases: ['acme', 'acme-test'],
          login_ok: false,
          access: 'none',
          latency_ms: 84,
          message: 'Odoo answers.',
        },
      },
    },
    errors: [],
    handle: async ({ body, load, take }) => {
      const { userId: askedBy } = await load();
      await take('probes');
      const expected = { erpVersion: body.erp_version, askedBy };
      return { status: 200, body: await probeUrl(outgoing, body.url, expected) };
    },
  });
