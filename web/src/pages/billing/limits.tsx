import type { components } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { refreshBilling, type Scope, spendLimitsQuery } from '../../data/billing.ts';
import { projectsQuery } from '../../data/lists.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, SelectField, TextField } from '../../ui/form.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Money } from '../../ui/money.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { type State, Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { PersonField } from '../workspace/person-field.tsx';

type Limit = components['schemas']['SpendLimit'];
type Change = Pick<Limit, 'subject' | 'subject_id'> & { amount: string | null };

const STATES: Record<Limit['state'], { state: State; word: string }> = {
  ok: { state: 'done', word: 'Within the limit' },
  warned: { state: 'waiting', word: 'Four fifths are spent' },
  reached: { state: 'wrong', word: 'Reached: its tasks pause' },
};

/** What a balance, a project, a person or a task may spend in a month. */
export function Limits({ org }: { org: Scope }): ReactNode {
  const { data, error, refetch } = useQuery(spendLimitsQuery(org));
  const [failure, setFailure] = useState<unknown>();
  if (insteadOf({ data, error })) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return null;
  const put = async (change: Change) => {
    const [body, options] = [{ limits: [change] }, { ifMatch: data.etag }];
    await (org === undefined
      ? guildhall.put('/api/billing/spend-limits', { body }, options)
      : guildhall.put(
          '/api/organizations/{org_id}/billing/spend-limits',
          { org_id: org, body },
          options,
        ));
    await refreshBilling(org);
  };
  return (
    <>
      <Section title="Limits of this month">
        {data.limits.length === 0 ? (
          <Empty>
            No limits. A task whose limit is reached pauses and keeps its work; it goes on when the
            limit is raised, or next month.
          </Empty>
        ) : (
          <>
            <p className="text-muted">
              Every limit begins anew <Time at={data.resets_at} />.
            </p>
            <LimitTable
              limits={data.limits}
              onFailure={setFailure}
              remove={({ subject, subject_id }) => put({ subject, subject_id, amount: null })}
            />
          </>
        )}
        {failure !== undefined && <Failure error={failure} />}
      </Section>
      <NewLimit key={data.etag} org={org} put={put} />
    </>
  );
}

function LimitTable({
  limits,
  remove,
  onFailure,
}: {
  limits: readonly Limit[];
  remove: (limit: Limit) => Promise<void>;
  onFailure: (error: unknown) => void;
}): ReactNode {
  return (
    <Table
      label="Spend limits"
      rows={limits}
      keyOf={({ id }) => id}
      columns={[
        {
          heading: 'Of',
          cell: (limit) => (
            <span dir="auto" className="line-clamp-1">
              {nameOf(limit)}
            </span>
          ),
        },
        { heading: 'Limit', align: 'right', cell: ({ amount }) => <Money amount={amount} /> },
        { heading: 'Spent', align: 'right', cell: ({ spent }) => <Money amount={spent} /> },
        {
          heading: 'State',
          wide: true,
          cell: ({ state }) => <Status state={STATES[state].state}>{STATES[state].word}</Status>,
        },
        {
          heading: '',
          align: 'right',
          cell: (limit) => (
            <ActButton
              act={() => remove(limit)}
              onFailure={onFailure}
              label={`Remove the limit of ${nameOf(limit)}`}
            >
              Remove
            </ActButton>
          ),
        },
      ]}
    />
  );
}

const nameOf = ({ subject, subject_id, subject_name }: Limit): string =>
  subject === 'balance' ? 'The whole balance' : (subject_name ?? `${subject} ${subject_id}`);

/** Sets a limit, or changes the one that stands. */
function NewLimit({ org, put }: { org: Scope; put: (change: Change) => Promise<void> }): ReactNode {
  const [subject, setSubject] = useState<Limit['subject']>('balance');
  return (
    <Section title="Set a limit">
      <Form
        submit="Set the limit"
        onSubmit={({ amount = '', subject_id }) =>
          put({ subject, amount: amount.trim(), ...(subject_id && { subject_id }) })
        }
      >
        <SelectField
          name="subject"
          label="For"
          options={[
            { value: 'balance', label: 'The whole balance' },
            { value: 'project', label: 'A project' },
            ...(org === undefined ? [] : [{ value: 'member', label: 'A person' }]),
            { value: 'task', label: 'A task' },
          ]}
          onChange={(value) => setSubject(value as Limit['subject'])}
        />
        {subject === 'project' && <ProjectField org={org} />}
        {subject === 'member' && org !== undefined && (
          <PersonField
            name="subject_id"
            label="Person"
            org={org}
            placeholder="A part of the name or address"
          />
        )}
        {subject === 'task' && (
          <TextField
            name="subject_id"
            label="Id of the task"
            hint="It stands at the end of the task’s address."
            autoComplete="off"
            required
          />
        )}
        <TextField
          name="amount"
          label="USD in a month"
          inputMode="decimal"
          placeholder="100.00"
          autoComplete="off"
          required
        />
      </Form>
    </Section>
  );
}

function ProjectField({ org }: { org: Scope }): ReactNode {
  const { data } = useQuery(projectsQuery);
  const projects = data?.filter(({ organization_id }) => organization_id === org) ?? [];
  return (
    <SelectField
      name="subject_id"
      label="Project"
      options={projects.map(({ id, name }) => ({ value: id, label: name }))}
    />
  );
}
