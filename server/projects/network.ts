import Type from 'typebox';
import { type Sql, sql } from '../db/sql.ts';
import { apiError, fieldError, ValidationError } from '../http/errors.ts';
import { type ErrorItem, itemAt } from '../http/input/error-item.ts';
import { list, object, text } from '../http/input/fields.ts';
import type { DeclaredAnswer } from '../http/route.ts';
import type { Config } from '../platform/config/config.ts';
import { LONGEST_PATTERN, readPublicPattern } from '../platform/network/host-pattern.ts';
import { PURPOSES, type Purpose } from '../platform/pods/purposes.ts';

/** What the operator says of the network that projects reach. */
export type OperatorsHosts = Pick<Config['network'], 'hosts' | 'fixed'>;

/** Of one purpose: a person must be able to read the list. */
const MOST_HOSTS = 100;

const FOR: Readonly<Record<Purpose, string>> = {
  setup: 'What the setup of an environment may reach.',
  agent: 'What agents, and the programs that they start, may reach.',
  checks: 'What the checks of pull requests may reach.',
  deploy: 'What the commands of deploys may reach.',
};

const host = () => text({ minLength: 1, maxLength: LONGEST_PATTERN });

const given = (purpose: Purpose) =>
  Type.Optional(list(host(), { maxItems: MOST_HOSTS, description: FOR[purpose] }));

export const networkChanges = () =>
  object({
    setup: given('setup'),
    agent: given('agent'),
    checks: given('checks'),
    deploy: given('deploy'),
  });

export type NetworkChanges = Partial<Record<Purpose, string[]>>;

const hosts = (description: string) => Type.Array(Type.String(), { description });

const ofAll = Object.fromEntries(
  PURPOSES.map((purpose) => [purpose, hosts(FOR[purpose])]),
) as Record<Purpose, ReturnType<typeof hosts>>;

const network = Type.Object(
  {
    ...ofAll,
    operator: Type.Object(ofAll, {
      description: 'What the operator of this server gives to every project, besides.',
    }),
    fixed: Type.Array(Type.Enum(PURPOSES, { type: 'string' }), {
      description: 'Purposes in which only the list of the operator counts.',
    }),
  },
  { $id: 'Network' },
);

/** The declared answer that shows the lists. */
export const networkShown = (description: string): DeclaredAnswer => ({
  description,
  headers: ['ETag'],
  schema: network,
  example: {
    setup: [],
    agent: ['docs.example.com'],
    checks: ['*.registry.example'],
    deploy: ['deploy.example.com:443'],
    operator: { setup: ['registry.example'], agent: [], checks: [], deploy: [] },
    fixed: [],
  },
});

/** The lists of a project, as jsonb. */
export const listsOf = (projectId: Sql): Sql => sql`
  (select jsonb_object_agg(p.purpose, coalesce(h.hosts, '[]'))
     from unnest(${PURPOSES}::text[]) p(purpose)
     left join lateral (
       select jsonb_agg(n.host order by n.host collate "C") as hosts
         from project_network_host n
        where n.project_id = ${projectId} and n.purpose = p.purpose) h on true)`;

/** What is shown of lists, as JSON text. */
export const networkJson = (lists: Sql, { hosts, fixed }: OperatorsHosts): Sql =>
  sql`(${lists} || ${JSON.stringify({ operator: hosts, fixed })}::jsonb)::text`;

/** What the ETag is made of. */
export const networkRevision = (lists: Sql): Sql => sql`md5(${lists}::text)`;

export const hostInvalid = fieldError(
  'host_invalid',
  ['body', 'agent', 0],
  'This should be a name such as registry.example, or *.example.com for all names below it, with ' +
    'no port or with :443 or :80',
);

export const hostRepeated = fieldError(
  'host_repeated',
  ['body', 'agent', 1],
  'This host is already in the list: remove it',
);

export const networkFixed = fieldError(
  'network_fixed',
  ['body', 'agent'],
  'Only the operator of this server decides this list: leave it out, or send an empty one',
);

export const networkChanged = apiError(
  412,
  'network_changed',
  'The lists have changed since you read them: read them again, then set them',
);

/** The lists in their canonical spelling. Throws all that is wrong with them. */
export function checkedLists(changes: NetworkChanges, fixed: readonly Purpose[]): NetworkChanges {
  const errors: ErrorItem[] = [];
  const refuse = (kind: typeof hostInvalid, loc: (string | number)[]) =>
    errors.push(itemAt(kind.item.type, loc, kind.item.msg));
  const checked = PURPOSES.flatMap((purpose) => {
    const hosts = changes[purpose];
    if (hosts === undefined) return [];
    if (hosts.length > 0 && fixed.includes(purpose)) refuse(networkFixed, ['body', purpose]);
    const seen = new Set<string>();
    for (const [i, each] of hosts.entries()) {
      const pattern = readPublicPattern(each);
      if (pattern === undefined) refuse(hostInvalid, ['body', purpose, i]);
      else if (seen.has(pattern)) refuse(hostRepeated, ['body', purpose, i]);
      else seen.add(pattern);
    }
    return [[purpose, [...seen]]];
  });
  if (errors.length > 0) throw new ValidationError(errors);
  return Object.fromEntries(checked);
}
