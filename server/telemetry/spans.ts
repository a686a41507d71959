import { AsyncLocalStorage } from 'node:async_hooks';
import type { DatabaseTrace } from '../db/database/connection.ts';

/**
 * Attributes of a span, named by OpenTelemetry's semantic conventions, and never a value that a
 * caller sent.
 */
type Attributes = Record<string, string | number | string[]>;

/** A span of traced work. */
export interface Span {
  readonly traceId: string;
  /** True until it has ended. */
  readonly open: boolean;
  /** Begins a child span for a call to another system. */
  ask(name: string, attributes: Attributes): Span;
  /** Begins a child span, now or at an earlier time. */
  part(name: string, since?: Date): Span;
  /** `failed` is a code; an error message could quote what a caller sent. */
  end(outcome?: { attributes?: Attributes; failed?: string | undefined }): void;
}

/**
 * Begins the span of a request; undefined if it is not sampled. `parent` is its `traceparent`
 * header.
 */
export type BeginRequest = (
  name: string,
  attributes: Attributes,
  parent: string | undefined,
) => Span | undefined;

/** Begins the span of work that no request asked for; undefined if it is not sampled. */
export type BeginWork = (name: string, attributes: Attributes, since: Date) => Span | undefined;

// The current span, so that work need not be passed the request it belongs to. Background work has
// no span.
const current = new AsyncLocalStorage<Span | undefined>();

/** Runs `work`, and everything it awaits, as a part of `span`. */
export const within = <Result>(span: Span, work: () => Result): Result => current.run(span, work);

/** Runs `work` outside of any span: for what a request starts and does not wait for. */
export const untraced = <Result>(work: () => Result): Result => current.run(undefined, work);

// Timers and connections that a request creates outlive it, and their later work is not part of it.
function open(): Span | undefined {
  const span = current.getStore();
  return span?.open ? span : undefined;
}

/** Fields for the log. */
export const traceFields = (): { traceId?: string } => {
  const span = open();
  return span === undefined ? {} : { traceId: span.traceId };
};

const failure = (error: unknown): string => {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(code ?? name ?? 'error');
};

/**
 * Traces the statements and transactions of a request, with the text of statements but without
 * values.
 */
export const databaseTrace: DatabaseTrace = {
  statement: (text) => {
    const span = open();
    if (span === undefined) return undefined;
    const { summary, shown, operation } = described(text);
    const asked = span.ask(summary, {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.query.summary': summary,
      'db.query.text': shown,
    });
    return (error) => {
      if (error === undefined) return asked.end();
      const failed = failure(error);
      const answered = /^[\dA-Z]{5}$/.test(failed) ? { 'db.response.status_code': failed } : {};
      return asked.end({ failed, attributes: answered });
    };
  },
  transaction: async (work) => {
    const span = open()?.part('transaction');
    if (span === undefined) return work();
    try {
      const result = await within(span, work);
      span.end();
      return result;
    } catch (error) {
      span.end({ failed: failure(error) });
      throw error;
    }
  },
};

/**
 * Traces an outgoing HTTP request; `path` is recorded without its query, and ids in it as `{id}`.
 */
export async function traceAsk<Answer>(
  request: { method: string; host: string; path: string },
  ask: () => Promise<Answer>,
  statusOf: (answer: Answer) => number,
): Promise<Answer> {
  const { method, host } = request;
  const path = request.path.replace(/\?.*/s, '').replaceAll(/\/[a-z]+_\w+(?=\/|$)/g, idOrName);
  const span = open()?.ask(`${method} ${path}`, {
    'http.request.method': method,
    'server.address': host,
    'url.template': path,
  });
  if (span === undefined) return ask();
  try {
    const answer = await ask();
    const status = statusOf(answer);
    const failed = status >= 400 ? String(status) : undefined;
    span.end({ failed, attributes: { 'http.response.status_code': status } });
    return answer;
  } catch (error) {
    span.end({ failed: failure(error) });
    throw error;
  }
}

// `/pi_3Q…` is an id; `/payment_intents` is a name, because it has neither digits nor capitals.
const idOrName = (part: string): string => (/[\dA-Z]/.test(part) ? '/{id}' : part);

const SHOWN = 2_000;
const SUMMED_UP = 255;
// The number of statements is finite, because all of them come from the source.
const descriptions = new Map<string, { summary: string; shown: string; operation: string }>();

function described(text: string) {
  let description = descriptions.get(text);
  if (description === undefined) {
    const line = text.replaceAll(/\s+/g, ' ').trim();
    description = { ...summed(line), shown: line.slice(0, SHOWN) };
    descriptions.set(text, description);
  }
  return description;
}

/**
 * What a statement does, in short: the tables that it changes, or otherwise those that it reads.
 */
function summed(line: string): { summary: string; operation: string } {
  const first = (/^\w+/.exec(line)?.[0] ?? '').toLowerCase();
  if (!/^(with|select|insert|update|delete)$/.test(first))
    return { summary: first, operation: first };
  const own = new Set(
    [...line.matchAll(/(\w+) as (?:not )?(?:materialized )?\(/g)].map(([, name]) => name),
  );
  const found = (pattern: RegExp) => [
    ...new Set([...line.matchAll(pattern)].map(([match]) => match)),
  ];
  const changes = found(
    /(?<!for |for no key |do )\b(?:insert into|update|delete from) (?!set\b)[a-z_]+/g,
  );
  const operation = changes[0]?.split(' ', 1)[0] ?? 'select';
  const read = found(/(?<=\b(?:from|join) )(?!lateral\b)[a-z_]+(?! ?\()/g).filter(
    (name) => !own.has(name),
  );
  const summary =
    changes.length > 0 ? changes.join(', ') : ['select', read.join(', ')].join(' ').trim();
  return { summary: summary.slice(0, SUMMED_UP), operation };
}
