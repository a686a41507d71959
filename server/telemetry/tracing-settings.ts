/**
 * Where traces are sent, by OTLP over HTTP, and which requests are traced. `ratio` is from 0 to 1.
 */
export interface TracingSettings {
  url: string;
  sampler: { name: (typeof SAMPLERS)[number]; ratio: number };
  /** What the receiver asks for, as `name=value` pairs, percent-encoded and separated by commas. */
  headers?: string;
}

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
