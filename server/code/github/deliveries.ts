import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Database } from '../../db/database/database.ts';
import { type RetentionRule, retentionRule } from '../../db/retention-rule.ts';
import { sql } from '../../db/sql.ts';

/** What a delivery of GitHub is about. What it says is not kept: a worker reads the object from GitHub. */
interface Delivery {
  id: string;
  event: string;
  action: string | undefined;
  installationId: number | undefined;
  repositoryId: number | undefined;
  /**
   * Numbers of pull requests, a commit, a branch, a review, a comment and an issue, as far as it names
   * them.
   */
  subject: {
    pulls?: number[];
    sha?: string;
    ref?: string;
    review?: number;
    comment?: number;
    issue?: number;
  };
}

/** Whether GitHub has signed these bytes with the secret. Takes the same time for any signature. */
export function isSigned(body: Buffer, signature: string, secret: string): boolean {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const [given, wanted] = [Buffer.from(signature), Buffer.from(expected)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

type Fields = Record<string, unknown>;

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
const idOf = (value: unknown): number | undefined => {
  const { id } = fields(value);
  return Number.isSafeInteger(id) && Number(id) > 0 ? Number(id) : undefined;
};
const textOf = (value: unknown, longest: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= longest && isStorable(value)
    ? value
    : undefined;
const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');
/** Of a pull request: the database compares it with numbers of this size. */
const isNumber = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 31;

/** Reads what a payload is about, of any event. Undefined if it is not an object in JSON. */
export function readDelivery(id: string, event: string, body: Buffer): Delivery | undefined {
  let payload: Fields;
  try {
    const value: unknown = JSON.parse(body.toString());
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    payload = value as Fields;
  } catch {
    return undefined;
  }
  return {
    id,
    event,
    action: textOf(payload.action, 100),
    installationId: idOf(payload.installation),
    repositoryId: idOf(payload.repository),
    subject: subjectOf(payload),
  };
}

function subjectOf(payload: Fields): Delivery['subject'] {
  const { pull_request, issue, check_run, check_suite, deployment } = payload;
  const checked = fields(check_run ?? check_suite);
  const named = Array.isArray(checked.pull_requests) ? checked.pull_requests : [];
  // A comment in the conversation of a pull request is one of an issue.
  const discussed = fields(issue).pull_request === undefined ? undefined : issue;
  const pulls = [pull_request, discussed, ...named]
    .map((each) => fields(each).number)
    .filter(isNumber)
    .slice(0, 20);
  const sha = textOf(
    checked.head_sha ?? fields(deployment).sha ?? payload.sha ?? payload.after,
    64,
  );
  const ref = textOf(payload.ref, 500);
  const said = fields(payload.comment).pull_request_review_id;
  const review =
    idOf(payload.review) ?? (pull_request === undefined ? undefined : idOf({ id: said }));
  const talked = discussed === undefined ? fields(issue).number : undefined;
  const comment = issue === undefined ? undefined : idOf(payload.comment);
  return {
    ...(pulls.length > 0 && { pulls }),
    ...(sha !== undefined && { sha }),
    ...(ref !== undefined && { ref }),
    ...(review !== undefined && { review }),
    ...(comment !== undefined && { comment }),
    ...(isNumber(talked) && { issue: talked }),
  };
}

/** Stores a delivery; a second one with the same id changes nothing. True if it was new. */
export async function storeDelivery(
  db: Pick<Database, 'many'>,
  { id, event, action, installationId, repositoryId, subject }: Delivery,
): Promise<boolean> {
  const rows = await db.many(sql`
    insert into github_delivery (id, event, action, installation_id, repository_id, subject)
    values (${id}, ${event}, ${action ?? null}, ${installationId ?? null},
            ${repositoryId ?? null}, ${subject})
    on conflict do nothing returning id`);
  return rows.length > 0;
}

/** GitHub sends a delivery again for three days at most; later it is for people who look into one. */
export const oldGithubDeliveries = (days: number): RetentionRule =>
  retentionRule({
    name: 'deliveries of GitHub',
    setting: 'RETENTION_WEBHOOKS_DAYS',
    days,
    which: (before) => sql`
      select id from github_delivery where received_at < ${before} order by received_at`,
    remove: (due) => sql`delete from github_delivery where id = ${due} returning id`,
  });
