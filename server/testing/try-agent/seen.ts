import { sql } from '../../db/sql.ts';
import type { Server } from '../../main/start.ts';
import { networkUseIn } from '../fixtures/runner/network-use.ts';

/** What the database has of the one task: costs, tokens, tools, notices, what was reached. */
export async function whatWasSeen({ db }: Pick<Server, 'db'>, host: string) {
  const { cost, input, output } = await db.one<{ cost: bigint; input: bigint; output: bigint }>(sql`
    select coalesce(sum(amount), 0)::bigint as cost,
           coalesce(sum(input_tokens), 0)::bigint as input,
           coalesce(sum(output_tokens), 0)::bigint as output
      from usage_day where kind = 'model'`);
  const { confined } = await db.one<{ confined: boolean | null }>(sql`
    select bool_and(confined) as confined from pod`);
  const turns = await db.many<{
    kind: string;
    state: string;
    error: string | null;
    said: string | null;
  }>(sql`
    select t.kind, t.state, t.error,
           (select m.content from task_message m
             where m.turn_id = t.id and m.role = 'agent' order by m.number desc limit 1) as said
      from task_turn t order by t.number`);
  const events = await db.many<{ type: string; payload: string }>(sql`
    select type, payload::text as payload from task_event order by seq`);
  const logs = await db.many<{ content: string }>(sql`select content from check_log`);
  const of = (type: string) =>
    events.filter((event) => event.type === type).map(({ payload }) => JSON.parse(payload));
  const ended = [...of('tool_call'), ...of('tool_call_update')].filter(({ status }) => status);
  const setups = of('setup').filter(({ status }) => status === 'ended');
  const notices = of('notice');
  const requestsIn = (uses: readonly { host: string | null; requests: number }[]) =>
    uses.filter((use) => use.host === host).reduce((sum, { requests }) => sum + requests, 0);
  return {
    confined,
    turns: turns.map(({ kind, state, error, said }) => ({
      kind,
      state,
      ...(error && { error }),
      ...(said && { said }),
    })),
    setups: setups.map(({ conclusion, seconds }) => ({ conclusion, seconds })),
    tools: {
      completed: ended.filter(({ status }) => status === 'completed').length,
      failed: ended.filter(({ status }) => status === 'failed').length,
    },
    notices: notices.map(({ text }) => String(text)),
    /** Hosts, by what was refused to reach them. */
    refused: notices.flatMap(({ network }) =>
      network === undefined ? [] : [`${network.purpose}: ${network.host}`],
    ),
    /** Requests to the registry that the proxies of the task have counted. */
    counted: {
      setup: requestsIn(setups.flatMap(({ log }) => networkUseIn(log))),
      agent: requestsIn(of('network').flatMap(({ hosts }) => hosts)),
      checks: requestsIn(logs.flatMap(({ content }) => networkUseIn(content))),
    },
    tokens: { input: Number(input), output: Number(output) },
    cost_usd: Number(cost) / 1e9,
  };
}
