import { SAMPLERS, type TracingSettings } from '../../telemetry/tracing-settings.ts';
import type { Values } from './settings.ts';

/**
 * Other programs of the machine may be configured by the OTEL_ settings, so they are checked only
 * when traces are on.
 */
export function tracing(
  values: Values,
  env: Record<string, string | undefined>,
  faults: string[],
): TracingSettings | undefined {
  const base = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base}/v1/traces`);
  if (url === undefined) return undefined;
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'])
    if (env[name] && !env[name].startsWith('http'))
      faults.push(`${name} must be http/json, or unset: traces are sent over HTTP only`);
  const name = SAMPLERS.find((one) => one === values.OTEL_TRACES_SAMPLER);
  if (name === undefined)
    faults.push(
      `OTEL_TRACES_SAMPLER must be one of ${SAMPLERS.join(', ')}, ` +
        `not "${values.OTEL_TRACES_SAMPLER}"`,
    );
  const ratio = Number(values.OTEL_TRACES_SAMPLER_ARG);
  if (!(ratio >= 0 && ratio <= 1))
    faults.push(
      'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1: the share of requests that is traced',
    );
  const headers = values.OTEL_EXPORTER_OTLP_HEADERS;
  return {
    url,
    sampler: { name: name ?? 'parentbased_always_on', ratio },
    ...(headers !== undefined && { headers }),
  };
}
