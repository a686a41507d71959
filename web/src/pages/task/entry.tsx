import { Link } from '@tanstack/react-router';
import { memo, type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshTask } from '../../data/task.ts';
import { Boundary } from '../../ui/boundary.tsx';
import { Button } from '../../ui/button.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { PageIcon, type PageIconName } from '../../ui/page-icon.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { AllowHost } from './allow-host.tsx';
import type { Group, Item, Message, Setup, Step } from './conversation-items.ts';
import type { PanelName } from './panel-names.ts';
import { lineOf, type Story } from './stories.ts';
import { Who } from './who.tsx';

/** Earlier lines of one story that are drawn. */
const MOST_BEFORE = 100;

/** One entry of a conversation, drawn again only when its item is another one. */
export const Entry = memo(
  ({ item, taskId }: { item: Item; taskId: string }): ReactNode => (
    <li className="[contain-intrinsic-size:auto_2rem] [content-visibility:auto]">
      <Boundary what="This entry" source={sourceOf(item)}>
        <Shown item={item} taskId={taskId} />
      </Boundary>
    </li>
  ),
);

function Shown({ item, taskId }: { item: Item; taskId: string }): ReactNode {
  switch (item.kind) {
    case 'person':
      return <PersonsMessage message={item.message} taskId={taskId} />;
    case 'agent':
      return (
        <div className="rounded-box border border-line bg-surface p-3">
          <Markdown text={item.text} />
        </div>
      );
    case 'thought':
      return (
        <details className="text-muted">
          <summary>The agent thinks</summary>
          <LongText text={item.text} className="py-1 pl-4 whitespace-pre-wrap wrap-anywhere" />
        </details>
      );
    case 'step':
      return <ToolCall step={item.step} />;
    case 'group':
      return <Steps group={item} taskId={taskId} />;
    case 'setup':
      return <SetupOfPod setup={item.setup} />;
    case 'call':
      return <Fold title={item.text} status={item.wrong ? 'failed' : 'completed'} text="" />;
    case 'turn':
      return (
        <p className="flex items-center gap-2 text-xs text-muted">
          <span className="h-px flex-1 bg-line" />
          {item.text}, <Time at={item.at} />
          <span className="h-px flex-1 bg-line" />
        </p>
      );
    case 'story':
      return <StoryOfCode story={item.story} at={item.at} />;
    case 'act':
      return (
        <p className="min-w-0 text-muted wrap-anywhere">
          {item.by !== undefined && <Who id={item.by} />} {inOneLine(item.text)}{' '}
          <span className="text-xs">
            <Time at={item.at} />
          </span>
        </p>
      );
    case 'note':
      return (
        <div
          className={`flex flex-wrap items-center gap-2 text-xs ${item.wrong ? 'text-wrong' : 'text-muted'}`}
        >
          <PageIcon name={item.wrong ? 'warning' : 'file'} size={12} />
          <p className="min-w-0 wrap-anywhere">{item.text.slice(0, MOST_NOTE)}</p>
          {item.log && <ToPanel panel="pod">See the log</ToPanel>}
          {item.refused && <AllowHost {...item.refused} />}
        </div>
      );
  }
}

/** Characters of a note. */
const MOST_NOTE = 5_000;
const MOST_LINE = 300;

/** A title, which an agent may have made as long as it likes. */
export const inOneLine = (text: string) =>
  text.length > MOST_LINE ? `${text.slice(0, MOST_LINE)}…` : text;

function sourceOf(item: Item): string | undefined {
  switch (item.kind) {
    case 'person':
      return item.message.text;
    case 'setup':
      return item.setup.title;
    case 'step':
      return item.step.title;
    case 'story':
      return item.story.said;
    case 'group':
      return undefined;
    default:
      return item.text;
  }
}

function ToPanel({ panel, children }: { panel: PanelName; children: string }): ReactNode {
  return (
    <Link
      from="/projects/$project/tasks/$task"
      to="."
      search={(search) => ({ ...search, panel })}
      replace
      className="text-link underline"
    >
      {children}
    </Link>
  );
}

/** Who wrote it on a host of code, for someone without an account here. */
function writtenElsewhere({ github_login, gitea_login }: Message): string | undefined {
  if (github_login !== undefined) return `@${github_login} on GitHub`;
  return gitea_login === undefined ? undefined : `@${gitea_login} on Gitea`;
}

function PersonsMessage({ message, taskId }: { message: Message; taskId: string }): ReactNode {
  const { number, text, status, attachments, created_at, author_user_id } = message;
  const elsewhere = writtenElsewhere(message);
  const remove = async () => {
    await guildhall.delete('/api/tasks/{task_id}/messages/{number}', { task_id: taskId, number });
    await refreshTask(taskId);
  };
  return (
    <div className="ml-4 flex flex-col gap-1.5 rounded-box bg-tint p-3 sm:ml-8">
      <div className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
        {author_user_id !== undefined && <Who id={author_user_id} />}
        {author_user_id === undefined && elsewhere !== undefined && (
          <span dir="auto" className="max-w-full truncate font-medium text-text">
            {elsewhere}
          </span>
        )}
        <Time at={created_at} />
        {status === 'queued' && <Status state="waiting">Queued</Status>}
        {message.available_actions.includes('delete_message') && (
          <Button look="quiet" onClick={() => void remove()}>
            Withdraw
          </Button>
        )}
      </div>
      <LongText text={text} />
      {attachments?.map(({ id, name }) => (
        <a
          key={id}
          href={`/api/tasks/${taskId}/attachments/${id}/content`}
          className="flex items-center gap-1 text-link underline"
        >
          <PageIcon name="file" size={12} />
          {name}
        </a>
      ))}
    </div>
  );
}

const STORIES: Record<Story['about'], PageIconName> = {
  'pull request': 'branch',
  checks: 'check',
  merge: 'merge',
};

/** A pull request, checks or a merge, on one line; opened, how it came to be so. */
function StoryOfCode({ story, at }: { story: Story; at: string }): ReactNode {
  const { about, state, by, before } = story;
  const failed = state === 'failed';
  const icon = failed ? 'warning' : state === 'running' ? 'clock' : STORIES[about];
  return (
    <div className={failed ? 'text-wrong' : 'text-muted'}>
      <div className="flex items-start gap-2">
        <span className="pt-1.5">
          <PageIcon name={icon} size={12} />
        </span>
        <p className="min-w-0 wrap-anywhere">
          {by !== undefined && <Who id={by} />} {lineOf(story).slice(0, MOST_NOTE)}{' '}
          <span className="text-xs text-muted">
            <Time at={at} />
          </span>{' '}
          {failed && <ToPanel panel="pull-request">See why</ToPanel>}
        </p>
      </div>
      {before.length > 0 && (
        <details className="pl-5 text-xs text-muted">
          <summary>How it came to this</summary>
          <ol>
            {before.slice(-MOST_BEFORE).map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines are only added
              <li key={index} className="wrap-anywhere">
                {line.slice(0, MOST_NOTE)}
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}

const STEP_STATES: Record<string, ReactNode> = {
  completed: <PageIcon name="check" size={12} />,
  failed: <PageIcon name="warning" size={12} />,
};

/** Many steps on one line: how many, how many failed, and the last one; opened, all of them. */
function Steps({ group: { items }, taskId }: { group: Group; taskId: string }): ReactNode {
  const [open, setOpen] = useState(false);
  const failed = items.filter(isFailed).length;
  const last = items.findLast(({ kind }) => kind !== 'thought');
  const title = last === undefined ? '' : sourceOf(last);
  return (
    <details
      className="group/steps text-muted"
      onToggle={({ currentTarget, target }) => {
        if (target === currentTarget) setOpen(currentTarget.open);
      }}
    >
      <summary className="flex cursor-pointer list-none items-center gap-2 [&::-webkit-details-marker]:hidden">
        <PageIcon name={failed > 0 ? 'warning' : 'tool'} size={12} />
        <span className="shrink-0">
          {items.length} steps
          {failed > 0 && <span className="text-wrong">, {failed} failed</span>}
        </span>
        <span className="min-w-0 truncate font-mono text-xs">{inOneLine(title ?? '')}</span>
        <span className="group-open/steps:rotate-90">
          <PageIcon name="chevron" size={12} />
        </span>
      </summary>
      {open && (
        <ol className="mt-1 flex flex-col gap-1.5 border-line border-l pl-3">
          {items.slice(-MOST_STEPS).map((item) => (
            <li key={item.key}>
              <Shown item={item} taskId={taskId} />
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}

/** Steps of a group that are drawn at once: the last ones. */
const MOST_STEPS = 500;

const isFailed = (item: Item): boolean =>
  (item.kind === 'step' && item.step.status === 'failed') || (item.kind === 'call' && item.wrong);

/** A call of a tool, on one line; opened, what it was given and answered. */
function ToolCall({ step: { title, status, content } }: { step: Step }): ReactNode {
  const text = content.map(textOf).filter(Boolean).join('\n\n');
  return <Fold title={title} status={status} text={text} />;
}

const SETUP_STATES: Record<Setup['state'], string> = {
  running: 'in_progress',
  done: 'completed',
  failed: 'failed',
  interrupted: 'interrupted',
};

/** The setup of the pod, on one line; opened, the end of what it has printed. */
function SetupOfPod({ setup: { title, state, log } }: { setup: Setup }): ReactNode {
  return <Fold title={title} status={SETUP_STATES[state]} text={log} />;
}

/** A line that can be opened if there is a text. */
function Fold({ title, status, text }: { title: string; status: string; text: string }): ReactNode {
  const [open, setOpen] = useState(false);
  const line = (
    <>
      {STEP_STATES[status] ?? <PageIcon name="tool" size={12} />}
      <span className="min-w-0 font-mono text-xs wrap-anywhere">{inOneLine(title)}</span>
      <span className="sr-only">{status}</span>
    </>
  );
  if (text === '') return <p className="flex items-center gap-2 text-muted">{line}</p>;
  return (
    <details
      className="group text-muted"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex cursor-pointer list-none items-center gap-2 [&::-webkit-details-marker]:hidden">
        {line}
        <span className="group-open:rotate-90">
          <PageIcon name="chevron" size={12} />
        </span>
      </summary>
      {open && (
        <section
          aria-label={inOneLine(title)}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
          tabIndex={0}
          className="mt-1 max-h-80 overflow-auto rounded-box bg-raised p-2"
        >
          <LongText text={text} className="font-mono text-xs whitespace-pre" />
        </section>
      )}
    </details>
  );
}

function textOf(part: Record<string, unknown>): string {
  if (typeof part.text === 'string') return part.text;
  if (typeof part.newText === 'string') return `${String(part.path ?? '')}\n${part.newText}`;
  return '';
}
