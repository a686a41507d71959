import type { AgentAnswer, AgentRequest } from './agent.ts';
import { fields, id, items, text } from './read-update.ts';

/** A question of an agent: a form of ACP (`elicitation/create`) with one field to fill in. */
interface Question {
  request: AgentRequest;
  field: string;
}

/**
 * Undefined for a form that cannot be asked as one question: it is declined. A person is asked for
 * the first required field, or the first of all; further required ones cannot be answered.
 */
export function readQuestion(params: unknown): Question | undefined {
  const { mode, message, requestedSchema, toolCallId } = fields(params);
  if (mode !== 'form' && mode !== undefined) return undefined;
  const { properties, required } = fields(requestedSchema);
  const needed = items(required).flatMap((name) => id(name) ?? []);
  const field = needed[0] ?? Object.keys(fields(properties))[0];
  const title = text(message);
  if (field === undefined || title === undefined || needed.length > 1) return undefined;
  const shape = fields(fields(properties)[field]);
  if (shape.type !== 'string' && shape.type !== undefined) return undefined;
  const options = optionsOf(shape);
  const call = id(toolCallId);
  return {
    field,
    request: {
      kind: 'question',
      title: title.slice(0, 2_000),
      options,
      allowsText: options.length === 0,
      ...(call === undefined ? {} : { toolCallId: call }),
    },
  };
}

function optionsOf({ oneOf, enum: values }: Record<string, unknown>): AgentRequest['options'] {
  const named = items(oneOf).map((value) => [fields(value).const, fields(value).title]);
  const plain = items(values).map((value) => [value, value]);
  const byId = new Map<string, { id: string; name: string }>();
  for (const [value, name] of [...named, ...plain]) {
    const option = id(value);
    if (option !== undefined && !byId.has(option))
      byId.set(option, { id: option, name: text(name)?.slice(0, 200) ?? option });
  }
  return [...byId.values()];
}

/** The answer of ACP. An option that was not offered is as good as none. */
export function accept(question: Question, answer: AgentAnswer): Record<string, unknown> {
  const { options } = question.request;
  const value =
    'optionId' in answer
      ? options.find((option) => option.id === answer.optionId)?.id
      : 'text' in answer
        ? answer.text
        : undefined;
  if (value === undefined) return { action: 'cancel' };
  return { action: 'accept', content: { [question.field]: value } };
}
