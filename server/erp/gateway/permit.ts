import type { Value } from '../odoo/xml-rpc.ts';
import { guardFor } from './guard.ts';
import type { Needs } from './guarded-call.ts';
import { guarded, type Schema } from './guarded-call.ts';
import { Refusal } from './refusal.ts';
import type { ErpTarget } from './target.ts';
import type { ModelCall } from './touched.ts';
import { isDictionary } from './touched.ts';

/** What an agent may call. */

/**
 * The methods that only read, in Odoo 16 to 19. Not among them although their names say so:
 * `export_data` makes external ids, and `onchange` and `copy_data` run what modules add.
 */
const READS = new Set([
  'search',
  'search_read',
  'search_count',
  'read',
  'exists',
  'fields_get',
  'default_get',
  'read_group',
  'formatted_read_group',
  'read_progress_bar',
  'name_search',
  'name_get',
  'web_read',
  'web_search_read',
  'web_read_group',
  'get_view',
  'get_views',
  'fields_view_get',
  'check_access',
  'check_access_rights',
  'check_access_rule',
  'has_access',
  'has_group',
  'context_get',
]);

/** Keys of a context that change how something is read; modules act on others as they like. */
const CONTEXT = /^(lang|tz|active_test|allowed_company_ids|bin_size|(bin_size|default)_\w{1,100})$/;

/** Models and methods that make or change a credential, which would outlive the turn. */
const CREDENTIALS =
  /^(res\.users\.(apikeys|identitycheck)|change\.password|auth_totp|auth\.passkey)/;
const GIVES_CREDENTIALS =
  /^((preference_|action_)?change_(own_)?password|action_reset_password|(api_key|totp|passkey)_.*|make_key|generate(_key)?|get_totp_invite_url)$/;

const MODEL = /^[a-z0-9_]{1,64}(\.[a-z0-9_]{1,64}){0,10}$/i;
const METHOD = /^[a-z]\w{0,99}$/i;

/** What the connection gives to agents; without `exceptions`, there is nothing that they do not see. */
export type Rights = Pick<ErpTarget, 'access' | 'exceptions'>;

/**
 * The call that may be made. Throws Refusal, with a sentence for the agent, for one that may not.
 * `known`: the fields of models, as far as the server was asked for them.
 */
export function permitted(call: ModelCall, rights: Rights, known: Schema): ModelCall | Needs {
  const { model, method, positional, named } = call;
  if (!MODEL.test(model) || model.length > 128) refuse('This is not the name of a model.');
  if (method.startsWith('_')) refuse('Private methods cannot be called from outside.');
  if (!METHOD.test(method)) refuse('This is not the name of a method.');
  const { access, exceptions } = rights;
  const reads = READS.has(method);
  if (!reads && access === 'read')
    refuse(`The agent may only read here, and ${method} is none of the methods that read.`);
  if (!reads && (CREDENTIALS.test(model) || GIVES_CREDENTIALS.test(method)))
    refuse('Keys and passwords cannot be made or changed through this connection.');
  if (access === 'read') refuse(refusedContext({ method, positional, named }));
  return exceptions === undefined
    ? call
    : guarded(call, { guard: guardFor(exceptions), reads, known });
}

function refuse(reason: string | undefined): void {
  if (reason !== undefined) throw new Refusal(403, reason);
}

/**
 * Where a dictionary among the positional arguments is another thing than a context: what is to be
 * read of each record, the options of views, and the colours of a bar.
 */
const DICTIONARIES = new Map([
  ['web_read', 1],
  ['web_search_read', 1],
  ['get_views', 1],
  ['read_progress_bar', 2],
]);

// A context has that name, also inside the specification of what is read. In an older form, which
// modules may bring back, it is the positional argument after those that a method has.
function refusedContext({ method, positional, named }: Omit<ModelCall, 'model'>) {
  const other = DICTIONARIES.get(method);
  const unnamed = positional.filter((value, at) => at !== other && isDictionary(value));
  const contexts = [...contextsIn([named, ...positional]), ...unnamed];
  if (!contexts.every(isDictionary)) return 'A context must be a dictionary.';
  const key = contexts.flatMap(Object.keys).find((name) => !CONTEXT.test(name));
  return key === undefined
    ? undefined
    : `The context may not hold ${JSON.stringify(key.slice(0, 100))} where the agent may only read.`;
}

/** Whatever is called a context in these values, at any depth. */
function contextsIn(values: readonly Value[]): Value[] {
  const found: Value[] = [];
  const left: Value[] = [...values];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const { context } = value as { context?: Value };
    if (!Array.isArray(value) && context !== undefined && context !== null) found.push(context);
    for (const each of Object.values(value)) if (each !== undefined) left.push(each);
  }
  return found;
}
