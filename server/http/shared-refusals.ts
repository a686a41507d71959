import { STATUS_CODES } from 'node:http';

/** The part of an OpenAPI document that this changes. */
interface Document {
  paths: Record<string, Record<string, unknown>>;
  components: object;
}

/** Of as many operations an answer has a name in the document. */
const SHARED_BY = 10;

/**
 * The document with every refusal that many operations answer in the same words written once, under
 * `components.responses`: most operations refuse in the same ways.
 */
export function withSharedRefusals<D extends Document>(document: D) {
  const operations = Object.values(document.paths).flatMap(
    (item) => Object.values(item) as { responses: Record<string, unknown> }[],
  );
  const all = operations.flatMap(({ responses }) =>
    Object.entries(responses).map(([status, answer]) => ({ responses, status, answer })),
  );
  const responses: Record<string, unknown> = {};
  const bySame = Map.groupBy(
    all.filter(({ status }) => Number(status) >= 400),
    ({ status, answer }) => `${status} ${JSON.stringify(answer)}`,
  );
  for (const same of bySame.values()) {
    const [{ status, answer } = {}] = same;
    if (status === undefined || same.length < SHARED_BY) continue;
    const name = freeName(`${STATUS_CODES[status]}`.replaceAll(/\W/g, ''), responses);
    responses[name] = answer;
    for (const each of same)
      each.responses[each.status] = { $ref: `#/components/responses/${name}` };
  }
  return { ...document, components: { ...document.components, responses } };
}

function freeName(wanted: string, taken: object): string {
  let name = wanted;
  for (let number = 2; name in taken; number++) name = `${wanted}${number}`;
  return name;
}
