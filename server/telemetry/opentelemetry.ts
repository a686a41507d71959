import { randomUUID } from 'node:crypto';
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { ExportResultCode, parseKeyPairsIntoRecord, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { withoutSecrets } from './hide-secrets.ts';
import type { BeginRequest, BeginWork, Span } from './spans.ts';
import type { TracingSettings } from './tracing-settings.ts';

/**
 * Traces, sent in batches by OTLP over HTTP. This is the only file that uses OpenTelemetry, and it
 * is only loaded if traces are on. `close` sends what remains and waits no longer than one export
 * may take.
 */
export interface Tracing {
  begin: BeginRequest;
  beginWork: BeginWork;
  close(): Promise<void>;
}

// A longer export counts as failed, because a server that shuts down waits for it.
const EXPORT_WITHIN_MS = 3_000;
const WARN_EVERY_MS = 60_000;

/** OpenTelemetry itself reads `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`. */
export function openTracing({ url, sampler, headers = '' }: TracingSettings, log: Logger): Tracing {
  const resource = resourceFromAttributes({
    'service.name': 'guildhall',
    'service.instance.id': randomUUID(),
    'process.pid': process.pid,
  }).merge(detectResources({ detectors: [envDetector] }));
  const sent = { url, headers: parseKeyPairsIntoRecord(headers), timeoutMillis: EXPORT_WITHIN_MS };
  const exporter = tolerant(new OTLPTraceExporter(sent), log);
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(sampler),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('guildhall');

  function begin(
    name: string,
    kind: SpanKind,
    attributes: object,
    parent: Context,
    since?: Date,
  ): Span | undefined {
    const options = { kind, attributes: { ...attributes } };
    const startTime = since === undefined ? {} : { startTime: since };
    const span = tracer.startSpan(name, { ...options, ...startTime }, parent);
    if (!span.isRecording()) return undefined;
    const context = trace.setSpan(ROOT_CONTEXT, span);
    // The children of a sampled span are always sampled.
    const child = (of: SpanKind) => (name: string, attributes: object, since?: Date) =>
      begin(name, of, attributes, context, since) as Span;
    return {
      traceId: span.spanContext().traceId,
      get open() {
        return span.isRecording();
      },
      ask: child(SpanKind.CLIENT),
      part: (name, since) => child(SpanKind.INTERNAL)(name, {}, since),
      end: ({ attributes = {}, failed } = {}) => {
        span.setAttributes(attributes);
        if (failed !== undefined)
          span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', failed);
        span.end();
      },
    };
  }

  return {
    begin: (name, attributes, parent) => {
      const remote = parent === undefined ? null : parseTraceParent(parent);
      const context =
        remote === null
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true });
      return begin(name, SpanKind.SERVER, attributes, context);
    },
    beginWork: (name, attributes, since) =>
      begin(name, SpanKind.INTERNAL, attributes, ROOT_CONTEXT, since),
    close: () => provider.shutdown().catch(() => {}),
  };
}

/**
 * An exporter that never fails: spans that cannot be sent are dropped, and the log says so at most
 * once a minute.
 */
function tolerant(exporter: SpanExporter, log: Logger): SpanExporter {
  let lost = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  return {
    export: (spans, done) =>
      exporter.export(spans, ({ code, error }) => {
        if (code !== ExportResultCode.SUCCESS) {
          lost += spans.length;
          if (performance.now() - toldAt > WARN_EVERY_MS) {
            log.warn(
              { spans: lost, reason: withoutSecrets(String(error?.message ?? '')).slice(0, 200) },
              'traces were not exported; requests are not affected',
            );
            toldAt = performance.now();
            lost = 0;
          }
        }
        done({ code: ExportResultCode.SUCCESS });
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

function samplerOf({ name, ratio }: TracingSettings['sampler']): Sampler {
  const roots: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const root = (roots[name.replace('parentbased_', '')] as () => Sampler)();
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}
