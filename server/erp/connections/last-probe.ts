import Type from 'typebox';
import { timestamp } from '../../http/timestamps.ts';
import { exampleProbe, probe } from '../probe.ts';

/** What a server answered when it was last asked, and when that was. */
export const lastProbe = Type.Object(
  { probed_at: timestamp(), ...probe.properties },
  { $id: 'LastOdooProbe' },
);

export const lastProbeExample = { probed_at: '2026-11-21T08:15:30.123Z', ...exampleProbe };
