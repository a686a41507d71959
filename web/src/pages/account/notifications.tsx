import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import {
  KIND_NAMES,
  KINDS,
  mutedQuery,
  type NotificationSettings,
  saveSettings,
  setMute,
  setSubscription,
  settingsQuery,
} from '../../data/notifications.ts';
import { sessionQuery } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { CheckField, Form, SelectField, TextField } from '../../ui/form.tsx';
import { More } from '../../ui/more.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ThisBrowser } from './this-browser.tsx';

/** How the person is told of what happens to tasks. */
export function Notifications(): ReactNode {
  const settings = useQuery(settingsQuery);
  if (settings.error)
    return <Failure error={settings.error} retry={() => void settings.refetch()} />;
  if (settings.data === undefined) return null;
  return (
    <>
      <Section title="Notifications">
        <p className="max-w-prose text-muted">
          You are told of the tasks that you began, wrote in or follow. What waits for you is also
          on{' '}
          <Link to="/" className="text-link underline">
            Home
          </Link>
          .
        </p>
        <Settings settings={settings.data} />
      </Section>
      <ThisBrowser />
      <Muted />
    </>
  );
}

const here = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

function Settings({ settings }: { settings: NotificationSettings }): ReactNode {
  const { mail, push, events_off, quiet_hours, daily_at, time_zone } = settings;
  const { data: session } = useQuery(sessionQuery);
  const [saved, setSaved] = useState(false);
  return (
    <>
      <Form
        submit="Save"
        onSubmit={async (values) => {
          setSaved(false);
          const { from = '', until = '' } = values;
          await saveSettings({
            mail: values.mail as NotificationSettings['mail'],
            push: values.push === 'on',
            events_off: KINDS.filter((kind) => values[kind] !== 'on'),
            // One without the other is refused, beside it.
            quiet_hours: from === '' && until === '' ? null : { from, until },
            ...(values.daily_at !== '' && { daily_at: values.daily_at as string }),
            time_zone: (values.time_zone ?? '').trim(),
          });
          setSaved(true);
        }}
      >
        <SelectField
          name="mail"
          label="Mail"
          defaultValue={mail}
          options={[
            { value: 'at_once', label: 'At once' },
            { value: 'daily', label: 'One mail a day' },
            { value: 'off', label: 'None' },
          ]}
          hint={
            session?.sign_in.mail === false
              ? 'This server sends no mail: its operator has set no mail server.'
              : 'Of one task you get a mail every five minutes at most.'
          }
        />
        <CheckField
          name="push"
          label="Messages in my browsers"
          hint="In those browsers in which you have allowed it."
          defaultChecked={push}
        />
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-2 font-medium">Tell me when</legend>
          {KINDS.map((kind) => (
            <CheckField
              key={kind}
              name={kind}
              label={KIND_NAMES[kind]}
              defaultChecked={!events_off.includes(kind)}
            />
          ))}
        </fieldset>
        <div className="flex flex-wrap gap-4">
          <TextField
            name="from"
            label="Quiet hours from"
            type="time"
            defaultValue={quiet_hours?.from ?? ''}
          />
          <TextField
            name="until"
            label="Quiet hours until"
            type="time"
            defaultValue={quiet_hours?.until ?? ''}
          />
          <TextField
            name="daily_at"
            label="Mail of the day at"
            type="time"
            defaultValue={daily_at}
          />
        </div>
        <TextField
          name="time_zone"
          label="Time zone"
          defaultValue={time_zone}
          autoComplete="off"
          hint={`A name such as Europe/Berlin. That of this browser is ${here()}. What happens in quiet hours is told when they end.`}
          required
        />
      </Form>
      <p role="status" className="text-done">
        {saved ? 'Saved.' : ''}
      </p>
    </>
  );
}

function Muted(): ReactNode {
  const muted = useInfiniteQuery(mutedQuery);
  const [refusal, setRefusal] = useState<unknown>();
  const rows = muted.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title="Muted">
      {muted.error && <Failure error={muted.error} retry={() => void muted.refetch()} />}
      {refusal !== undefined && <Failure error={refusal} />}
      {muted.data && rows.length === 0 && (
        <Empty>
          You have muted nothing: a task is muted from its menu, a project in its settings.
        </Empty>
      )}
      {rows.length > 0 && (
        <Table
          label="Muted tasks and projects"
          rows={rows}
          keyOf={({ kind, id }) => `${kind} ${id}`}
          columns={[
            {
              heading: 'Name',
              cell: ({ kind, id, project_id: project, title }) =>
                kind === 'task' ? (
                  <Link
                    to="/projects/$project/tasks/$task"
                    params={{ project, task: id }}
                    dir="auto"
                    className="break-words text-link hover:underline"
                  >
                    {title}
                  </Link>
                ) : (
                  <Link
                    to="/projects/$project"
                    params={{ project }}
                    dir="auto"
                    className="break-words text-link hover:underline"
                  >
                    {title}
                  </Link>
                ),
            },
            {
              heading: 'Kind',
              wide: true,
              cell: ({ kind }) => (kind === 'task' ? 'Task' : 'Project'),
            },
            { heading: 'Since', wide: true, cell: ({ muted_at }) => <Time at={muted_at} /> },
            {
              heading: '',
              align: 'right',
              cell: ({ kind, id, title }) => (
                <Button
                  aria-label={`Unmute ${title}`}
                  onClick={() => {
                    const work =
                      kind === 'task' ? setSubscription(id, 'following') : setMute(id, false);
                    void work.then(() => setRefusal(undefined), setRefusal);
                  }}
                >
                  Unmute
                </Button>
              ),
            },
          ]}
        />
      )}
      <More list={muted} />
    </Section>
  );
}
