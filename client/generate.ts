import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';

/**
 * Writes the types of an OpenAPI document of Guildhall:
 * `node client/generate.ts [--check] openapi.json client/src/schema.d.ts`.
 */

interface Content {
  schema?: unknown;
  example?: unknown;
  examples?: Record<string, unknown>;
}

interface Answer {
  description: string;
  headers?: unknown;
  content?: Record<string, Content>;
}

interface Operation {
  /** A refusal that several operations share is a reference. */
  responses: Record<string, Answer & { $ref?: string }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, unknown>;
    headers?: unknown;
    responses?: Record<string, Answer>;
  };
}

/**
 * The types of a document. The errors of an operation become one answer, `default`, whose `code` is
 * the union of those that the document shows: each is a name of its examples. The 422 is left out,
 * because its shape is the same everywhere.
 */
export async function typesOf(text: string): Promise<string> {
  const document: Document = JSON.parse(text);
  const shared = document.components.responses ?? {};
  const all = new Set<string>();
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item)) {
      const codes = errorCodes(operation, shared);
      for (const code of codes) all.add(code);
      const answered = Object.entries(operation.responses).filter(([status]) => status < '300');
      operation.responses = Object.fromEntries(
        answered.map(([status, answer]) => [status, withoutExamples(answer)]),
      );
      operation.responses.default = failure(codes);
    }
  }
  const { Error: _, HTTPValidationError: __, ...schemas } = document.components.schemas;
  document.components = {
    schemas: { ...schemas, ErrorCode: { type: 'string', enum: [...all].sort() } },
  };
  const nodes = await openapiTS(document as unknown as OpenAPI3);
  return `// Written by \`npm run openapi\`: do not edit.\n\n${astToString(nodes)}`;
}

function errorCodes({ responses }: Operation, shared: Record<string, Answer>): string[] {
  const codes = Object.entries(responses)
    .filter(([status]) => status >= '400' && status !== '422')
    .map(([, answer]) => shared[answer.$ref?.split('/').at(-1) ?? ''] ?? answer)
    .flatMap(({ content }) => Object.keys(content?.['application/json']?.examples ?? {}));
  return [...new Set(codes)].sort();
}

function withoutExamples({ description, content = {} }: Answer): Answer {
  const shapes = Object.entries(content).map(([type, { schema }]) => [type, { schema }]);
  return { description, ...(shapes.length > 0 && { content: Object.fromEntries(shapes) }) };
}

function failure(codes: string[]): Answer {
  const properties = { code: { type: 'string', enum: codes } };
  const schema = { type: 'object', required: ['code'], properties };
  return { description: 'An error.', content: { 'application/json': { schema } } };
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { check: { type: 'boolean', default: false } },
  });
  const [from = 'openapi.json', to = 'client/src/schema.d.ts'] = positionals;
  const types = await typesOf(await readFile(from, 'utf8'));
  if (!values.check) await writeFile(to, types);
  else if ((await readFile(to, 'utf8').catch(() => '')) !== types) {
    console.error(`${to} is stale: run \`npm run openapi\` and commit it.`);
    process.exitCode = 1;
  }
}
