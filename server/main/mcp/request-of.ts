import type { Tool } from './tools.ts';

/** The request of the API that a call of a tool is. */
export interface ToolRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  payload?: string;
}

/** Why a call is no request: what its caller has to change. */
export class UnusableInput extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The request of a call, whose values the route itself validates. Here it only matters that each
 * value goes where it belongs. Errors: UnusableInput.
 */
export function requestOf(tool: Tool, input: Record<string, unknown>): ToolRequest {
  const { route, places } = tool;
  for (const name of tool.inputSchema.required ?? [])
    if (given(input, name) === undefined)
      throw new UnusableInput('missing_argument', `${tool.name} needs ${name}: send it too`);
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  const headers: Record<string, string> = {};
  let url = route.path;
  for (const [name, value] of Object.entries(input)) {
    const place = places.get(name);
    if (place === undefined)
      throw new UnusableInput(
        'unknown_argument',
        `${tool.name} has no argument ${shortened(name)}: it takes ${[...places.keys()].join(', ')}`,
      );
    if (value === undefined || (value === null && place !== 'body')) continue;
    if (place === 'path') url = url.replace(`{${name}}`, segment(name, value));
    else if (place === 'query')
      for (const each of [value].flat()) query.append(name, scalar(name, each));
    else if (place === 'body') body[name] = value;
    else if (place === 'version') headers['if-match'] = `"${version(value)}"`;
    else headers['idempotency-key'] = printable(value);
  }
  if (query.size > 0) url += `?${query}`;
  if (route.body === undefined) return { method: route.method, url, headers };
  headers['content-type'] = 'application/json';
  return { method: route.method, url, headers, payload: JSON.stringify(body) };
}

const given = (input: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(input, name) ? (input[name] ?? undefined) : undefined;

/** Dots and slashes would name another path than that of the operation. */
function segment(name: string, value: unknown): string {
  const text = scalar(name, value);
  if (!/^[\w-]{1,100}$/.test(text))
    throw new UnusableInput('invalid_argument', `${name} must be the id as the API shows it`);
  return text;
}

function scalar(name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  throw new UnusableInput('invalid_argument', `${name} must be a text, a number or true or false`);
}

function version(value: unknown): string {
  const text = typeof value === 'object' ? '' : String(value);
  if (!/^\d{1,10}$/.test(text))
    throw new UnusableInput('invalid_argument', 'version must be the number of the version');
  return text;
}

/** What cannot be a header is for the API to refuse: an empty one, which it does not accept. */
const printable = (value: unknown): string => {
  const text = String(value);
  if (/^[\x20-\x7e]{1,255}$/.test(text)) return text;
  throw new UnusableInput(
    'invalid_argument',
    'idempotency_key must be 1 to 255 printable ASCII characters',
  );
};

/** Names come from models and from what those have read: little of them is repeated. */
const shortened = (name: string): string => JSON.stringify(name.slice(0, 40));
