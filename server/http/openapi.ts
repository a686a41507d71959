import { STATUS_CODES } from 'node:http';
import Type, { type TObject, type TSchema } from 'typebox';
import { BEFORE_A_REQUEST, declaredErrors } from './declared-errors.ts';
import type { ApiErrorKind, FieldErrorKind } from './errors.ts';
import { EXAMPLES } from './examples.ts';
import { isRepeatable } from './idempotency.ts';
import { itemSchema } from './input/error-item.ts';
import { LONGEST_IF_MATCH } from './preconditions.ts';
import type { Operation } from './public-route.ts';
import type { DeclaredAnswer, RequestHeader } from './route.ts';
import { withSharedRefusals } from './shared-refusals.ts';

const AREAS: Record<string, string> = {
  Account: 'Profile behind the API key and app-wide configuration.',
  Projects: 'Unit of ownership. A project pins an ERP version and edition and holds tasks.',
  Tasks: 'One conversation with the agent inside a project.',
  'Plans & Artifacts':
    'The plan the agent writes before building. Approving it releases the agent to start work.',
  'Pull Requests & Deploys':
    'The branch of a task on its way to the branches that are deployed, and what is deployed of them.',
  'Odoo Connections':
    'Connections to Odoo, which tasks use them, and throwaway instances of tasks.',
  Workspaces:
    'Shared accounts. A workspace owns projects on behalf of members and is billed as one entity.',
  'Members & Invitations': 'Workspace membership, roles, teams, invitations.',
  GitHub: 'Installations of the App, and the repositories and branches that projects can use.',
  Billing: 'Balance and saved cards of a personal account.',
  'Workspace Billing': 'The same billing operations settled against a workspace balance.',
  Usage: 'What was used, summed by UTC day or line by line.',
  // Not of the spec, which has nobody above workspaces: a server of one's own has those who run it.
  Operation:
    'What operators of the server see and do. They have no rights on what is in workspaces.',
  // Of the document of browsers: the API has no sign-in.
  'Sign-in': 'How people sign in with a browser, and what they sign in with.',
};

const HEADERS: Record<string, string> = {
  'Cache-Control': 'How long the answer may be kept; without it, not at all.',
  ETag: 'The version of the answered object, for If-Match or If-None-Match.',
  'Last-Event-ID':
    'Where a list of changes ends, which is no stream: the next one continues there.',
  Link: 'The next page (`rel="next"`), if the answer is one page and more entries follow.',
  'Retry-After': 'Whole seconds to wait before trying again.',
  'WWW-Authenticate': 'How to authenticate: `Bearer`.',
  'Idempotent-Replayed': '`true` if this is the stored first answer for the same Idempotency-Key.',
};

/** Headers of every answer, except to input that never becomes a request (431). */
const EVERYWHERE: Record<string, string> = {
  RateLimit:
    'What remains of each limit that applies to this caller: `"name";r=remaining;t=seconds ' +
    'until it resets`.',
  'RateLimit-Policy': 'Those limits: `"name";q=requests;w=seconds`.',
  'X-Request-Id':
    'The id of this request in the log and the audit trail: the one that was sent, if it is valid.',
};

const error = Type.Object({
  detail: Type.String({ description: 'What went wrong and what to do, for people.' }),
  code: Type.String({ description: 'What went wrong, for programs; stable.' }),
});

/** What a document says about its operations as a whole. */
interface About {
  title: string;
  description: string;
  security: readonly Record<string, never[]>[];
  securitySchemes: Record<string, { type: string } & Record<string, string>>;
  /** What is sent to receivers, if anything is. */
  webhooks?: Record<string, object>;
}

export const SESSION_COOKIE = {
  type: 'apiKey',
  in: 'cookie',
  name: '__Host-guildhall',
  description: 'The cookie of a session; without HTTPS it is called `guildhall`.',
};

export const API: About = {
  title: 'Guildhall',
  description: 'Workspaces, teams, billing, plan approval and listings of an AI software workshop.',
  security: [{ ApiKeyBearer: [] }, { HTTPBearer: [] }],
  securitySchemes: {
    ApiKeyBearer: {
      type: 'http',
      scheme: 'bearer',
      description: 'A personal API key: `Authorization: Bearer <API_KEY>`.',
    },
    HTTPBearer: { type: 'http', scheme: 'bearer' },
    Session: SESSION_COOKIE,
  },
};

/** The OpenAPI 3.1 document of a route table. `publicUrl` and `stagingUrl` become its servers. */
export function openApi(
  routes: readonly Operation[],
  { publicUrl, stagingUrl }: { publicUrl: string; stagingUrl?: string | undefined },
  { title, description, security, securitySchemes, webhooks } = API,
) {
  const paths: Record<string, Record<string, unknown>> = {};
  const named: Record<string, TSchema> = {};
  for (const route of routes) {
    const item = paths[route.path] ?? {};
    paths[route.path] = item;
    item[route.method.toLowerCase()] = byReference(operation(route), named);
  }
  const used = new Set(routes.map(({ area }) => area));
  return withSharedRefusals({
    openapi: '3.1.0',
    info: {
      title,
      version: '1.0.0',
      description,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: publicUrl, description: 'Production' },
      ...(stagingUrl === undefined ? [] : [{ url: stagingUrl, description: 'Staging' }]),
    ],
    tags: Object.entries(AREAS)
      .filter(([name]) => used.has(name as Operation['area']))
      .map(([name, description]) => ({ name, description })),
    security,
    paths,
    ...(webhooks === undefined ? {} : { webhooks: byReference(webhooks, named) as object }),
    components: {
      schemas: {
        Error: error,
        HTTPValidationError: Type.Object({
          detail: Type.Array(Type.Ref('#/components/schemas/ValidationError')),
        }),
        ValidationError: itemSchema,
        ...named,
      },
      headers: Object.fromEntries(
        Object.entries(EVERYWHERE).map(([name, description]) => [
          name,
          { description, schema: { type: 'string' } },
        ]),
      ),
      securitySchemes,
    },
  });
}

/** What differs from the document: no credential at all, or a session where others take a key. */
function securityOf({ credential, path }: Operation): { security?: object[] } {
  if (credential === 'none') return { security: [] };
  return credential !== undefined && path.startsWith('/api/')
    ? { security: [{ Session: [] }] }
    : {};
}

function operation(route: Operation) {
  return {
    operationId: route.operationId,
    tags: [route.area],
    summary: route.summary,
    description: route.description,
    ...securityOf(route),
    parameters: [
      ...parameters('path', route.params),
      ...parameters('query', route.query),
      ...Object.entries(route.headers ?? {}).map(requestHeader),
      ...(isRepeatable(route)
        ? [
            header(
              'Idempotency-Key',
              'Makes a retry safe: for 30 days, the same key with the same request returns the ' +
                'first answer.',
              { minLength: 1, maxLength: 255, pattern: '^[ -~]*[!-~][ -~]*$' },
            ),
          ]
        : []),
    ],
    ...requestBody(route),
    responses: responses(route),
  };
}

function requestBody({ body, upload, sample }: Operation) {
  if (upload !== undefined) {
    const schema = { type: 'string', format: 'binary', maxLength: upload.maxBytes };
    return { requestBody: { required: true, content: { '*/*': { schema } } } };
  }
  if (body === undefined) return {};
  const example = sample?.(EXAMPLES).body;
  const content = { schema: body, ...(example === undefined ? {} : { example }) };
  const required = (body as { default?: unknown }).default === undefined;
  return { requestBody: { required, content: { 'application/json': content } } };
}

/**
 * Copies a part of the document, with every schema that has an `$id` replaced by a reference; the
 * schema itself is added to `named` once. Throws if two schemas have the same name.
 */
function byReference(part: unknown, named: Record<string, TSchema>): unknown {
  if (Array.isArray(part)) return part.map((each) => byReference(each, named));
  if (typeof part !== 'object' || part === null) return part;
  const { $id, ...rest } = part as { $id?: string };
  const copy = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, byReference(value, named)]),
  );
  if ($id === undefined) return copy;
  const known = named[$id];
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(copy))
    throw new Error(`two schemas are named ${$id}`);
  named[$id] = copy as TSchema;
  return { $ref: `#/components/schemas/${$id}` };
}

function parameters(place: 'path' | 'query', schema: TObject | undefined) {
  const required = new Set(schema?.required ?? []);
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = property as TSchema & {
      description?: string;
      type?: string;
    };
    return {
      name,
      in: place,
      required: place === 'path' || required.has(name),
      ...(description ? { description } : {}),
      // Repeated, as in ?status=ready&status=failed.
      ...(rest.type === 'array' ? { style: 'form', explode: true } : {}),
      schema: rest,
    };
  });
}

// Only an If-Match is refused for its length; other headers are ignored when they make no sense.
function requestHeader([name, declared]: [string, string | RequestHeader]) {
  const { description, required, ...keywords } =
    typeof declared === 'string' ? { description: declared } : declared;
  const bounds = name === 'If-Match' ? { maxLength: LONGEST_IF_MATCH } : {};
  return header(name, description, { ...keywords, ...bounds }, required);
}

const header = (name: string, description: string, bounds = {}, required = false) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string', ...bounds },
});

function responses(route: Operation) {
  const answers: Record<number, unknown> = {};
  for (const [status, declared] of Object.entries(route.responses)) {
    const { description, schema, example, mediaType, headers = [] } = declared;
    const all = isRepeatable(route) ? [...headers, 'Idempotent-Replayed'] : headers;
    answers[Number(status)] = { description, headers: describe(all) };
    if (schema !== undefined)
      Object.assign(answers[Number(status)] as object, {
        content: { 'application/json': { schema, example }, ...asText(mediaType) },
      });
    else if (mediaType !== undefined)
      Object.assign(answers[Number(status)] as object, { content: asText(mediaType) });
  }
  const byStatus = Map.groupBy(declaredErrors(route), ({ status }) => status);
  for (const [status, errors] of byStatus)
    if (status !== 422) answers[status] = refused(status, errors as ApiErrorKind[]);
  answers[422] = invalid((byStatus.get(422) ?? []) as FieldErrorKind[]);
  return answers;
}

const asText = (mediaType: DeclaredAnswer['mediaType'] = []) =>
  Object.fromEntries([mediaType].flat().map((type) => [type, { schema: { type: 'string' } }]));

function refused(status: number, errors: ApiErrorKind[]) {
  const names = new Set(errors.flatMap((each) => Object.keys(each.headers)));
  const headers = [...Object.keys(HEADERS)].filter(
    (name) => names.has(name.toLowerCase()) || (status === 429 && name === 'Retry-After'),
  );
  const examples = errors.map(({ code, detail }) => [code, { value: { detail, code } }]);
  return {
    description: errors.map(({ detail }) => detail).join(' · ') || STATUS_CODES[status],
    headers: BEFORE_A_REQUEST.some((each) => each.status === status) ? {} : describe(headers),
    content: {
      'application/json': {
        schema: Type.Ref('#/components/schemas/Error'),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function invalid(errors: FieldErrorKind[]) {
  const malformed = {
    type: 'uuid_type',
    loc: ['path', 'id'],
    msg: 'UUID input should be a string, bytes or UUID object',
    input: 1,
  };
  const items = errors.length === 0 ? [malformed] : errors.map(({ item }) => item);
  const examples = items.map((item) => [item.type, { value: { detail: [item] } }]);
  return {
    description: 'Validation error',
    headers: describe([]),
    content: {
      'application/json': {
        schema: Type.Ref('#/components/schemas/HTTPValidationError'),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

const describe = (names: string[]) => ({
  ...Object.fromEntries(
    Object.keys(EVERYWHERE).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
  ...Object.fromEntries(
    names.map((name) => [name, { description: HEADERS[name], schema: { type: 'string' } }]),
  ),
});
