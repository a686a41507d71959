import { EVENT_WORDS, type EventType, TEST_EVENT } from './event-types.ts';

interface Said {
  data: { organization_id?: string; project_id?: string; task_id?: string; reason?: string };
}

/**
 * What an incoming webhook of Slack or Discord takes: one line of text with a link. It has no names
 * that people chose, so nothing in it mentions anybody.
 */
export function chatLine(
  kind: 'slack' | 'discord',
  { type, body }: { type: string; body: string },
  publicUrl: string,
): string {
  const { data } = JSON.parse(body) as Said;
  const reason = data.reason === undefined ? '' : ` (${data.reason.replaceAll('_', ' ')})`;
  const line = `${wordsOf(type)}${reason}: ${publicUrl}${pathOf(data)}`;
  return JSON.stringify(
    kind === 'slack' ? { text: line } : { content: line, allowed_mentions: { parse: [] } },
  );
}

const wordsOf = (type: string): string =>
  type === TEST_EVENT
    ? 'A test of this webhook'
    : (EVENT_WORDS[type as EventType] ?? 'Something has happened');

function pathOf({ task_id, project_id, organization_id }: Said['data']): string {
  if (project_id !== undefined)
    return `/projects/${project_id}${task_id === undefined ? '' : `/tasks/${task_id}`}`;
  return organization_id === undefined ? '/' : `/workspaces/${organization_id}`;
}
