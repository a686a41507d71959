import Type from 'typebox';
import { onRequest } from '../access/task.ts';
import { type Sql, sql } from '../db/sql.ts';
import { apiError, fieldError, notFound } from '../http/errors.ts';
import { exactlyOneOf, multilineText, text } from '../http/input/fields.ts';
import { ids, route } from '../http/route.ts';
import { auditRow } from '../platform/audit/audit.ts';
import { agentRequest } from './request.ts';

const requestEnded = apiError(
  409,
  'request_ended',
  'This request was answered, or the agent needs no answer any more: read it again',
);
const oneAnswer = fieldError(
  'one_answer_required',
  ['body'],
  'Send either option_id or text, and not both',
);
const optionNotFound = fieldError(
  'option_not_found',
  ['body', 'option_id'],
  'Choose one of the options of the request by its id',
);
const optionRequired = fieldError(
  'option_required',
  ['body', 'text'],
  'This request has options: send the option_id of one of them',
);

/** Answers what the agent has asked, exactly once. */
export const answerRequest = route({
  method: 'POST',
  path: '/api/tasks/{task_id}/requests/{request_id}/answer',
  area: 'Tasks',
  operationId: 'answer_request',
  wakes: true,
  summary: 'Answer a request of the agent',
  description:
    'Answers a question of the agent, or its request for permission, so that it goes on. Members ' +
    'of the project may. A request with options is answered by the id of one, any other by a ' +
    'text. The first answer counts.',
  access: onRequest('work_on_task'),
  params: ids('task_id', 'request_id'),
  body: Type.Object(
    {
      option_id: Type.Optional(text({ minLength: 1, maxLength: 200 })),
      text: Type.Optional(multilineText({ minLength: 1, maxLength: 20_000 })),
    },
    { ...exactlyOneOf('option_id', 'text'), additionalProperties: false },
  ),
  bodyLimit: 128 * 1024,
  sample: () => ({ body: { option_id: 'yes' } }),
  responses: {
    200: {
      description: 'The answered request.',
      schema: agentRequest.schema,
      example: agentRequest.example,
    },
  },
  errors: [requestEnded, oneAnswer, optionNotFound, optionRequired],
  handle: ({ body, requestId, statement }) => {
    if ((body.option_id === undefined) === (body.text === undefined)) throw oneAnswer();
    return statement<Outcome>(
      {
        with: answered(body, requestId),
        select: sql`
          select current.open, current.has_options, current.fits,
                 (select ${agentRequest.json} from changed r) as item
            from authorized left join current on true`,
      },
      ({ item, open, has_options, fits }) => {
        if (open === null) throw notFound();
        if (!open) throw requestEnded();
        if (!fits)
          throw has_options && body.text !== undefined ? optionRequired() : optionNotFound();
        return { status: 200, body: item };
      },
    );
  },
});

interface Outcome {
  item: string | null;
  open: boolean | null;
  has_options: boolean | null;
  fits: boolean | null;
}

// The row lock lets one answer, or the agent that withdraws its request, come first. The worker of
// the turn reads the answer; the status of the task is its to change.
const answered = (
  { option_id, text }: { option_id?: string; text?: string },
  requestId: string,
): Sql => sql`
  current as materialized (
    select r.id, r.state = 'open' as open, r.options <> '[]' as has_options,
           case when ${option_id ?? null}::text is null then r.options = '[]'
                else exists (select from jsonb_array_elements(r.options) o
                              where o->>'id' = ${option_id ?? null}) end as fits
      from agent_request r join authorized on r.id = authorized.request_id for update of r),
  changed as (
    update agent_request r
       set state = 'answered', answer_option_id = ${option_id ?? null},
           answer_text = ${text ?? null}, answered_by_user_id = caller.user_id,
           ended_at = clock_timestamp()
      from current cross join caller
     where r.id = current.id and current.open and current.fits
    returning r.*),
  audited as (${auditRow({
    action: 'request.answer',
    requestId,
    target: sql`authorized.task_id`,
    organization: sql`authorized.organization_id`,
    project: sql`authorized.project_id`,
    before: sql`null`,
    after: sql`jsonb_build_object('request_id', changed.id)`,
    from: sql`changed cross join authorized`,
  })})`;
