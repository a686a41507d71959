import type { Value } from '../odoo/xml-rpc.ts';
import { type Guard, unlessAllowed } from './guard.ts';
import { REFUSED_METHODS, SECRET_FIELDS } from './guarded.ts';
import { Refusal } from './refusal.ts';
import type { ModelCall } from './touched.ts';
import { defaultsIn, links, type Touched, touchedBy } from './touched.ts';

/** What a call needs to know first: the fields of this model. */
export interface Needs {
  needs: string;
}

/** The relations of a model and the rest of its fields, by name. */
export type Fields = Readonly<Record<string, { relation?: string; type?: string }>>;

/** The fields of models, as the server has named them to the user of the connection. */
export type Schema = Readonly<Record<string, Fields>>;

interface Options {
  guard: Guard;
  /** Whether its method only reads. */
  reads: boolean;
  known: Schema;
}

/** The call without what the guard hides. Throws Refusal for one that asks for it. */
export function guarded(call: ModelCall, { guard, reads, known }: Options): ModelCall | Needs {
  const { model, method } = call;
  const rule = guard.model(model);
  if (rule.agents === 'hidden') refuse(`Agents do not see ${model}, because ${rule.why}`, model);
  if (!reads && rule.agents === 'read')
    refuse(`Agents only read ${model}, because ${rule.why}`, model);
  if (!reads && REFUSED_METHODS.has(method))
    throw new Refusal(403, `${method} reaches what is not named in the call: use other methods.`);
  if (!reads && SECRET_FIELDS.test(method))
    throw new Refusal(403, `${method} may make or tell a secret: use other methods.`);
  refuseDefaults(call);
  for (const touched of touchedBy(call, reads)) {
    const needs = walk(touched, model, { guard, known });
    if (needs !== undefined) return { needs };
  }
  return READ_ALL.has(method) ? withFields(call, { guard, known }) : call;
}

/**
 * A default also holds for records of other models that the call makes on its way, so that what it
 * would make or change there is not known.
 */
function refuseDefaults({ named: { context } }: ModelCall): void {
  for (const [name, value] of defaultsIn(context))
    if (Array.isArray(value) && !value.every(links))
      throw new Refusal(403, `The default of ${name.slice(0, 100)} may only name records by ids.`);
}

/** Which model must be known to tell where the path leads. Throws Refusal. */
function walk(
  { path, use }: Touched,
  model: string,
  { guard, known }: Pick<Options, 'guard' | 'known'>,
): string | undefined {
  let at: string | undefined = model;
  for (const [i, name] of path.entries()) {
    const reason = guard.field(at, name, use === 'read' ? 'read' : 'write');
    if (reason !== undefined) refuse(reason, `${at ?? model}/${name}`);
    if (i === path.length - 1 || at === undefined) continue;
    const fields: Fields | undefined = known[at];
    if (fields === undefined) return at;
    const field: Fields[string] = (Object.hasOwn(fields, name) && fields[name]) || {};
    const { relation, type }: Fields[string] = field;
    if (i + (ANY_MODEL[type ?? ''] ?? path.length) < path.length) {
      const why = guard.field(at, name, 'follow');
      if (why !== undefined) refuse(why, `${at}/${name}`);
    }
    if (relation !== undefined) {
      const { agents, why } = guard.model(relation);
      const changes = use === 'write' || (use === 'link' && type !== 'many2many');
      if (agents === 'hidden' || (changes && agents === 'read'))
        refuse(`The field ${name} leads to ${relation}, and ${why}`, relation);
    }
    at = relation;
  }
  return undefined;
}

/** Types of fields whose records may be of any model, and how many names later these are reached. */
const ANY_MODEL: Readonly<Record<string, number>> = {
  __proto__: null as never,
  reference: 1,
  many2one_reference: 1,
  // Each property has a name of its own.
  properties: 2,
};

/** Methods that read every field if none is named; the names stand in the second place. */
const READ_ALL = new Set(['read', 'search_read', 'web_search_read']);

function withFields(
  call: ModelCall,
  { guard, known }: Pick<Options, 'guard' | 'known'>,
): ModelCall | Needs {
  const { model, positional, named } = call;
  if (isGiven(positional[1]) || isGiven(named.fields) || isGiven(named.specification)) return call;
  const fields = known[model];
  if (fields === undefined) return { needs: model };
  const visible = Object.keys(fields).filter(
    (name) => guard.field(model, name, 'read') === undefined,
  );
  // Without any, all of them would be read.
  if (visible.length === 0) throw new Refusal(403, `Name the fields of ${model} to read.`);
  if (positional.length > 1)
    return { ...call, positional: [positional[0] ?? [], visible, ...positional.slice(2)] };
  return { ...call, named: { ...named, fields: visible } };
}

const isGiven = (value: Value | undefined): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

function refuse(reason: string, what: string): never {
  throw new Refusal(403, `${reason.slice(0, 400)}${unlessAllowed(what.slice(0, 200))}`);
}
