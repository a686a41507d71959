import fastJsonStringify, { type AnySchema } from 'fast-json-stringify';

type Serialize = (content: unknown) => string;

/** Routes share schemas, those of errors above all, and so do the servers of a process. */
const compiled = new WeakMap<object, Serialize>();

/**
 * For Fastify, which would compile the schemas of all answers while it starts: each is compiled with
 * its first answer.
 */
export function serializerOf({ schema }: { schema: AnySchema & object }): Serialize {
  let serialize = compiled.get(schema);
  return (content) => {
    if (serialize === undefined) {
      serialize = compiled.get(schema) ?? fastJsonStringify(schema);
      compiled.set(schema, serialize);
    }
    return serialize(content);
  };
}
