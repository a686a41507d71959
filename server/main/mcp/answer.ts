import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** How much of an answer reaches a model, in bytes. */
export const MOST_BYTES = 128 * 1024;

/** What the API has answered to a call. */
export interface ApiAnswer {
  status: number;
  headers: IncomingHttpHeaders | NodeJS.Dict<unknown>;
  /** At most `MOST_BYTES` of it. */
  text: string;
  cut: boolean;
}

/** The beginning of an answer; the rest of one that is too large is not read. */
export async function readAnswer(
  status: number,
  headers: ApiAnswer['headers'],
  body: Readable,
): Promise<ApiAnswer> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, MOST_BYTES - bytes);
    text += decoder.decode(part, { stream: true });
    bytes += part.length;
    if (part.length < chunk.length) return { status, headers, text, cut: true };
  }
  return { status, headers, text: text + decoder.decode(), cut: false };
}

/** A type because MCP's own has an index signature. */
type ToolAnswer = {
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
};

/**
 * What a model gets: the JSON of the answer, as structured content and as text; a list as `items`
 * with the `cursor` of the next page. An error is the code and sentence of the API.
 */
export function toolAnswer(answer: ApiAnswer, url: string): ToolAnswer {
  const { status, headers, text, cut } = answer;
  if (status >= 400) return failure(answer);
  if (cut) return { content: [{ type: 'text', text: `${text}\n\n${cutWords(url)}` }] };
  if (text === '') return { content: [{ type: 'text', text: 'Done.' }] };
  const type = String(headers['content-type'] ?? '');
  if (!type.startsWith('application/json'))
    return { content: [{ type: 'text', text: textOf(answer, url) }] };
  const body: unknown = JSON.parse(text);
  const structuredContent = Array.isArray(body)
    ? { items: body, ...nextPage(headers.link) }
    : { ...(body as Record<string, unknown>), ...nextPage(headers.link) };
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
  };
}

/** A file as text, if it is one. */
export function textOf({ headers, text, cut }: ApiAnswer, url: string): string {
  if (text.includes('\0'))
    return `This is a file of type ${String(headers['content-type'])}, not text: get it from ${url}`;
  return cut ? `${text}\n\n${cutWords(url)}` : text;
}

const cutWords = (url: string): string =>
  `[Cut here: the answer is larger than ${MOST_BYTES / 1024} KiB. Ask for less of it, for example ` +
  `with limit or path, or get all of it from ${url}]`;

function failure({ status, headers, text }: ApiAnswer): ToolAnswer {
  const body = errorBody(text);
  const wait = headers['retry-after'];
  const lines = [
    sentence(status, body),
    ...(wait === undefined ? [] : [`Try again after ${String(wait)} seconds.`]),
  ];
  return {
    isError: true,
    content: [{ type: 'text', text: lines.join('\n') }],
    structuredContent: { status, ...body },
  };
}

/** An error of the call itself, in the form that those of the API have. */
export const refusal = (code: string, detail: string): ToolAnswer => ({
  isError: true,
  content: [{ type: 'text', text: `${code}: ${detail}` }],
  structuredContent: { detail, code },
});

/** Of one that is too long, or no JSON, the beginning is enough. */
function errorBody(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { detail: text.slice(0, 2_000) };
  }
}

function sentence(status: number, { code, detail }: Record<string, unknown>): string {
  if (!Array.isArray(detail)) return `${String(code ?? status)}: ${String(detail)}`;
  const items = detail as { loc: readonly unknown[]; msg: string }[];
  return items.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('\n');
}

function nextPage(link: unknown): { next_cursor?: string } {
  const next = /<([^>]*)>; rel="next"/.exec(String(link ?? ''))?.[1];
  const cursor = next && new URL(next, 'http://next').searchParams.get('cursor');
  return cursor ? { next_cursor: cursor } : {};
}
