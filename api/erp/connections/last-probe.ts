import Type from 'typebox';
import { timestamp } from '../../http/timestamps.ts';

// Until api/erp/probe.ts is there.
export interface Probe {
  reachable: boolean;
  tls: boolean;
  server_version?: string;
  edition: 'community' | 'enterprise' | 'unknown';
  database?: string;
  login_ok?: boolean;
  uid?: number;
  access?: string;
  latency_ms: number;
  expires_at?: string;
  code?: string;
  message: string;
}

/** What a server answered when it was last asked, and when that was. */
export const lastProbe = Type.Object(
  {
    probed_at: timestamp(),
    reachable: Type.Boolean(),
    code: Type.Optional(Type.String()),
    message: Type.String(),
  },
  { additionalProperties: true },
);

export const lastProbeExample = {
  probed_at: '2026-11-21T08:15:30.123Z',
  reachable: true,
  message: 'The server answers, and the login works.',
};
