import Type from 'typebox';
import { type Actions, actionsSchema, availableActions } from '../access/actions.ts';
import { jsonObject, jsonText } from '../db/json.ts';
import { sql } from '../db/sql.ts';
import { oneOf, uuid } from '../http/input/fields.ts';
import { resource } from '../http/resource.ts';
import { timestamp } from '../http/timestamps.ts';

/** What a person may do to a request of an agent. */
export const requestActions: Actions = {
  answer_request: { permission: 'work_on_task', when: sql`r.state = 'open'` },
};

/**
 * What an agent asks a person, from a row `r` of `agent_request` beside `authorized`, which knows
 * what the caller acts as.
 */
export const agentRequest = resource('AgentRequest', {
  id: [uuid(), sql`r.id`, '0197f2c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f'],
  task_id: [uuid(), sql`r.task_id`, '8f4e1f0e-6a0b-4d7e-9a52-1f4b1c2d3e4f'],
  kind: [
    oneOf(['question', 'permission'], {
      description: '`permission`: to do what `title` says.',
    }),
    sql`r.kind`,
    'question',
  ],
  title: [Type.String(), sql`r.title`, 'Which currency do the limits have?'],
  options: [
    Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: 'What can be answered; if there is nothing here, any text.',
    }),
    sql`(
      select coalesce(json_agg(json_build_object('id', o->>'id', 'name', o->>'name')), '[]')
        from jsonb_array_elements(r.options) o)`,
    [
      { id: 'eur', name: 'Euro' },
      { id: 'company', name: 'The currency of the company' },
    ],
  ],
  status: [
    oneOf(['open', 'answered', 'withdrawn'], {
      description: '`withdrawn`: the agent needs no answer any more.',
    }),
    sql`r.state`,
    'answered',
  ],
  answer: [
    Type.Optional(
      Type.Object({ option_id: Type.Optional(Type.String()), text: Type.Optional(Type.String()) }),
    ),
    sql`case when r.answer_option_id is not null
             then ${jsonObject({ option_id: jsonText(sql`r.answer_option_id`) })}
             when r.answer_text is not null
             then ${jsonObject({ text: jsonText(sql`r.answer_text`) })} end`,
    { option_id: 'eur' },
  ],
  answered_by_user_id: [
    Type.Optional(uuid()),
    sql`r.answered_by_user_id`,
    '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  ],
  created_at: [timestamp(), sql`r.created_at`, '2026-11-21T08:15:30.123Z'],
  ended_at: [Type.Optional(timestamp()), sql`r.ended_at`, '2026-11-21T08:17:02.400Z'],
  available_actions: [
    actionsSchema(),
    availableActions(sql`authorized.acts_as`, requestActions),
    [],
  ],
});
