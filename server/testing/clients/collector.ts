import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A span as it arrived; `kind` as OTLP numbers it: 1 internal, 2 server, 3 client. Attributes by
 * name.
 */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: number;
  /** 2: failed. */
  status: number;
  attributes: Record<string, string>;
  resource: Record<string, string>;
}

type Attribute = { key: string; value: Record<string, unknown> };
interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: (Omit<ReceivedSpan, 'attributes' | 'resource' | 'status'> & {
        attributes: Attribute[];
        status: { code?: number };
      })[];
    }[];
  }[];
}

/**
 * A receiver of OTLP over HTTP (JSON). `received` contains every request in full, including
 * headers, to search for what must not be there.
 */
export async function startCollector() {
  const spans: ReceivedSpan[] = [];
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    received.push(`${request.method} ${request.url} ${request.rawHeaders.join(' ')} ${body}`);
    for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans)
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({
          ...span,
          status: span.status.code ?? 0,
          attributes: named(span.attributes),
          resource: named(resource.attributes),
        });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    received,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const named = (attributes: Attribute[]): Record<string, string> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [one] = Object.values(value);
      return [key, typeof one === 'object' ? JSON.stringify(one) : String(one)];
    }),
  );
