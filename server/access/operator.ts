import { type Sql, sql } from '../db/sql.ts';
import type { Credential } from '../http/authenticate.ts';
import type { Access } from '../http/route.ts';
import { signedIn } from './account.ts';

/** SQL: whether the caller operates this server. It gives no right on what is in workspaces. */
export const isOperator: Sql = sql`
  exists (select from operator where operator.user_id = caller.user_id)`;

const denied = sql`case when not ${isOperator} then 'operator_required' end as denied_because`;

/** Operators alone, where the setting says that only they create workspaces. */
export const createsWorkspaces = (who: 'anyone' | 'operators'): Access<object, unknown> =>
  who === 'anyone'
    ? signedIn
    : {
        sql: () => sql`
          access as materialized (
            select true as found, null::uuid as organization_id,
                   case when not ${isOperator} then 'workspace_creation_closed' end as denied_because
              from caller)`,
      };

/** The caller stays an operator until the end of the transaction. */
const keepsOperator = (_: unknown, { kind, hash }: Credential): Sql =>
  kind === 'key'
    ? sql`select from operator o join api_key k on k.user_id = o.user_id
           where k.secret_hash = ${hash} for share of o`
    : sql`select from operator o join session s on s.user_id = o.user_id
           where s.token_hash = ${hash} for share of o`;

/** Operators, for what concerns the whole server. */
export const asOperator: Access<object, unknown> = {
  locks: keepsOperator,
  sql: () => sql`
    access as materialized (
      select true as found, null::uuid as organization_id, ${denied} from caller)`,
};

/** Something that operators work on; nobody else learns whether it exists. */
const on = <From extends object, Row>(
  target: (input: From) => Sql,
  locks = keepsOperator,
): Access<From, Row> => ({
  locks,
  sql: (input) => sql`
    target as materialized (${target(input)}),
    access as materialized (
      select true as found, null::uuid as organization_id, target.*, ${denied}
        from caller left join target on true
       where target.target_id is not null or not ${isOperator})`,
});

type OnUser = { params: { user_id: string } };

const person = ({ params: { user_id } }: OnUser): Sql => sql`
  select id as target_id from app_user
   where id = ${user_id} and kind = 'person' and deleted_at is null`;

/** The person in the path; who has deleted their account is none any more. */
export const onPerson = on<OnUser, { target_id: string }>(person);

/** The same, to change whether they may be an operator: no operator acts at the same time. */
export const onPersonAlone = on<OnUser, { target_id: string }>(
  person,
  () => sql`select from operator order by user_id for update`,
);

/** The workspace in the path. */
export const onAnyWorkspace = on<{ params: { org_id: string } }, { target_id: string }>(
  ({ params: { org_id } }) => sql`select id as target_id from organization where id = ${org_id}`,
);

/** The mail in the path. */
export const onMail = on<{ params: { mail_id: string } }, { target_id: string }>(
  ({ params: { mail_id } }) => sql`select id as target_id from mail where id = ${mail_id}`,
);

/** The delivery in the path, of any webhook. */
export const onAnyDelivery = on<
  { params: { delivery_id: string } },
  {
    target_id: string;
    webhook_id: string;
    /** The workspace that it is in, also by its project. */
    workspace_id: string | null;
    project_id: string | null;
  }
>(
  ({ params: { delivery_id } }) => sql`
    select d.id as target_id, e.id as webhook_id, e.project_id,
           coalesce(e.organization_id, p.organization_id) as workspace_id
      from webhook_delivery d join webhook_endpoint e on e.id = d.endpoint_id
      left join project p on p.id = e.project_id
     where d.id = ${delivery_id}`,
);
