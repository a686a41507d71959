import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { useDraft } from '../../data/drafts.ts';
import { peopleQuery } from '../../data/project.ts';
import { type NewRoutine, type Routine, refreshRoutines } from '../../data/routines.ts';
import { useUser } from '../../data/session.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, SelectField, TextArea, TextField, type Values } from '../../ui/form.tsx';
import { useModels } from '../task/models.ts';
import { choiceOf, cronOf, OFTEN } from './in-words.ts';

type StartsBy = Routine['starts_by'];

export const START_NAMES: Readonly<Record<StartsBy, string>> = {
  schedule: 'A schedule',
  call: 'A call by a program',
  label: 'A label on an issue on GitHub',
  mention: 'A comment on GitHub that mentions the App',
};
const STARTS = Object.entries(START_NAMES).map(([value, label]) => ({ value, label }));

const FIELD_HINTS: Readonly<Record<StartsBy, string>> = {
  schedule: 'Filled in: {{date}}, {{time}}.',
  call: 'Filled in: {{body}}, what the program has sent, and {{date}}, {{time}}.',
  label:
    'Filled in: {{issue.title}}, {{issue.body}}, {{issue.url}}, {{issue.number}}, {{issue.author}}, {{date}}, {{time}}.',
  mention:
    'Filled in: {{comment.body}}, {{comment.author}}, {{issue.title}}, {{issue.body}}, {{issue.url}}, {{issue.number}}, {{issue.author}}, {{date}}, {{time}}.',
};

/** Adds a routine to a project, or changes one. `onSaved` gets the token of a new one that is called. */
export function RoutineForm({
  project,
  routine,
  onSaved,
  onClose,
}: {
  project: string;
  routine?: Routine;
  onSaved: (id: string, token: string | undefined) => void;
  onClose: () => void;
}): ReactNode {
  const [startsBy, setStartsBy] = useState<StartsBy>(routine?.starts_by ?? 'schedule');
  const user = useUser();
  const draft = useDraft(project, `routine ${routine?.id ?? 'new'}`, routine?.message);
  const people = useQuery(peopleQuery(project));
  const bots = people.data?.filter(({ kind }) => kind === 'service') ?? [];
  const { models, nameOf } = useModels(project);
  const acts = bots.map(({ user_id, name }) => ({ value: user_id, label: name ?? user_id }));
  const mine = { value: user.id, label: 'You' };
  const now = routine?.on_behalf_of_user_id ?? user.id;
  const other = people.data?.find(({ user_id }) => user_id === now)?.name ?? 'Another person';
  const known = [mine, ...acts].some(({ value }) => value === now);
  const whose = known ? [mine, ...acts] : [{ value: now, label: other }, mine, ...acts];
  return (
    <Dialog title={routine ? 'Change the routine' : 'Add a routine'} onClose={onClose}>
      <Form
        disabled={people.data === undefined}
        submit={routine ? 'Save' : 'Add the routine'}
        onCancel={onClose}
        onSubmit={async (values) => {
          const saved = await save(project, routine, startsBy, values);
          draft.forget();
          await refreshRoutines(project);
          onSaved(saved.id, saved.token);
        }}
      >
        <TextField
          name="name"
          label="Name"
          dir="auto"
          maxLength={100}
          defaultValue={routine?.name}
          required
        />
        {routine === undefined && (
          <SelectField
            name="starts_by"
            label="It is started by"
            options={STARTS}
            onChange={(value) => setStartsBy(value as StartsBy)}
          />
        )}
        {startsBy === 'schedule' && <ScheduleFields routine={routine} />}
        {startsBy === 'label' && (
          <TextField
            name="label"
            label="Label"
            dir="auto"
            maxLength={100}
            defaultValue={routine?.label}
            required
            hint="Given by somebody who may write to the repository; others start nothing."
          />
        )}
        <TextArea
          name="message"
          label="Message to the agent"
          rows={5}
          maxLength={20_000}
          defaultValue={draft.opened}
          onValueChange={draft.keep}
          required
          hint={FIELD_HINTS[startsBy]}
        />
        {people.data && (
          <SelectField
            name="on_behalf_of_user_id"
            label="On behalf of"
            options={whose}
            defaultValue={now}
            hint={
              known
                ? 'Whose rights count each time, and who is shown as the creator of the tasks.'
                : 'Choose yourself to change what it says: it then acts for you.'
            }
          />
        )}
        <SelectField
          name="model"
          label="Model"
          defaultValue={routine?.model ?? ''}
          options={[
            { value: '', label: `The usual one, ${nameOf()}` },
            ...models.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <TextField
          name="spend_cap"
          label="Cap of each task, in USD"
          inputMode="decimal"
          defaultValue={routine?.spend_cap}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            name="per_hour"
            label="Tasks in an hour, at most"
            type="number"
            min={1}
            max={60}
            defaultValue={routine?.per_hour ?? 10}
            required
          />
          <TextField
            name="at_once"
            label="Tasks at work at once"
            type="number"
            min={1}
            max={10}
            defaultValue={routine?.at_once ?? 1}
            required
          />
        </div>
      </Form>
    </Dialog>
  );
}

function ScheduleFields({ routine }: { routine: Routine | undefined }): ReactNode {
  const first = choiceOf(routine?.schedule ?? '0 6 * * 1');
  const [often, setOften] = useState(first.often);
  return (
    <>
      <SelectField
        name="often"
        label="When"
        options={OFTEN}
        defaultValue={first.often}
        onChange={setOften}
      />
      {often === 'cron' ? (
        <TextField
          name="schedule"
          label="Five fields of cron"
          defaultValue={routine?.schedule ?? '0 6 * * 1'}
          required
          hint="Minute, hour, day of the month, month, day of the week; at most every 15 minutes."
        />
      ) : (
        <TextField
          name="at"
          label={often === 'hour' ? 'At the minutes of' : 'At'}
          type="time"
          defaultValue={first.time}
          required
        />
      )}
      <TextField
        name="time_zone"
        label="Time zone"
        defaultValue={routine?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
        required
      />
    </>
  );
}

async function save(
  project_id: string,
  routine: Routine | undefined,
  starts_by: StartsBy,
  values: Values,
): Promise<{ id: string; token?: string }> {
  const { name = '', message = '', model = '', spend_cap = '', often = '', at = '' } = values;
  const common = {
    name: name.trim(),
    message,
    per_hour: Number(values.per_hour),
    at_once: Number(values.at_once),
    ...(starts_by === 'schedule' && {
      schedule: often === 'cron' ? (values.schedule ?? '').trim() : cronOf(often, at),
      time_zone: (values.time_zone ?? '').trim(),
    }),
    ...(starts_by === 'label' && { label: (values.label ?? '').trim() }),
  };
  const cap = spend_cap.trim();
  const behalf = { on_behalf_of_user_id: values.on_behalf_of_user_id };
  if (routine !== undefined) {
    const whole = {
      ...common,
      ...behalf,
      model: model === '' ? null : model,
      spend_cap: cap === '' ? null : cap,
    };
    // Of another's routine, some fields may be changed without a take-over: only those are sent.
    const body = Object.fromEntries(
      Object.entries(whole).filter(([field, value]) => value !== (routine[field as never] ?? null)),
    );
    return guildhall.put('/api/projects/{project_id}/routines/{routine_id}', {
      project_id,
      routine_id: routine.id,
      body,
    } as never);
  }
  const body = {
    ...common,
    ...behalf,
    starts_by,
    ...(model !== '' && { model }),
    ...(cap !== '' && { spend_cap: cap }),
  } as NewRoutine;
  return guildhall.post('/api/projects/{project_id}/routines', { project_id, body });
}
