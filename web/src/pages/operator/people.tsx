import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import {
  type Deactivation,
  type OperatedUser,
  refreshOperator,
  usersQuery,
} from '../../data/operator.ts';
import { useUser } from '../../data/session.ts';
import { ActsMenu } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { Grant } from './grant.tsx';
import { Paged, useWanted } from './paged.tsx';
import { Activate, Deactivate, ResetTwoFactor, SignInLink } from './person-acts.tsx';

type Act = 'activate' | 'deactivate' | 'link' | 'reset' | 'grant';

/** Everybody with an account. */
export function People(): ReactNode {
  const [q, setQ] = useWanted();
  const list = useInfiniteQuery(usersQuery(q));
  const [chosen, setChosen] = useState<{ user: OperatedUser; act: Act }>();
  const [done, setDone] = useState<ReactNode>();
  const { id: me } = useUser();
  const columns = useMemo(() => columnsOf(me, (user, act) => setChosen({ user, act })), [me]);
  const close = () => setChosen(undefined);
  const finish = async (notice: ReactNode) => {
    setDone(notice);
    await refreshOperator();
  };
  const { user, act } = chosen ?? {};
  return (
    <Section title="People">
      {done !== undefined && <Notice onClose={() => setDone(undefined)}>{done}</Notice>}
      <SearchField label="Search people by name or address" value={q} onChange={setQ} />
      <Paged label="People" list={list} columns={columns} none="Nobody fits." />
      {user && act === 'deactivate' && (
        <Deactivate
          user={user}
          onClose={close}
          onDone={(receipt) => finish(<Receipt {...receipt} />)}
        />
      )}
      {user && act === 'activate' && (
        <Activate
          user={user}
          onClose={close}
          onDone={() => finish(`${user.email} may sign in again. They need new keys.`)}
        />
      )}
      {user && act === 'reset' && (
        <ResetTwoFactor
          user={user}
          onClose={close}
          onDone={() => finish(`${user.email} has no second factor any more.`)}
        />
      )}
      {user && act === 'link' && <SignInLink user={user} onClose={close} />}
      {user && act === 'grant' && (
        <Grant
          to={user.email}
          onClose={close}
          grant={(body) =>
            guildhall.post('/api/operator/users/{user_id}/credits', { user_id: user.id, body })
          }
          onDone={(balance) => finish(`${user.email} has a balance of ${balance} now.`)}
        />
      )}
    </Section>
  );
}

function Receipt({
  user,
  keys_revoked,
  sessions_ended,
  owned_workspaces,
  open_turns,
}: Deactivation) {
  return (
    <>
      {user.email} is deactivated. Keys revoked: {keys_revoked}. Sessions ended: {sessions_ended}.
      {open_turns > 0 && ` Turns that go on: ${open_turns}.`}
      {owned_workspaces.length > 0 && (
        <>
          {' '}
          Nobody else can transfer or delete what they own:{' '}
          <span dir="auto">{owned_workspaces.map(({ name }) => name).join(', ')}</span>. To change
          that, activate them, and deactivate them again when they have transferred it.
        </>
      )}
    </>
  );
}

const columnsOf = (
  me: string,
  choose: (user: OperatedUser, act: Act) => void,
): readonly Column<OperatedUser>[] => [
  {
    heading: 'Person',
    cell: ({ name, email }) => (
      <>
        <span dir="auto">{name ?? email}</span>
        {name !== undefined && (
          <span dir="auto" className="block text-xs text-muted">
            {email}
          </span>
        )}
      </>
    ),
  },
  {
    heading: 'State',
    cell: ({ is_active, is_operator }) => (
      <span className="flex flex-wrap gap-1">
        <Status state={is_active ? 'done' : 'idle'}>{is_active ? 'active' : 'deactivated'}</Status>
        {is_operator && <Status state="working">operator</Status>}
      </span>
    ),
  },
  {
    heading: 'Second factor',
    wide: true,
    cell: ({ two_factor_enabled }) => (two_factor_enabled ? 'yes' : 'no'),
  },
  {
    heading: 'Owns',
    wide: true,
    align: 'right',
    cell: ({ owned_workspaces }) => owned_workspaces,
  },
  {
    heading: 'Last seen',
    wide: true,
    align: 'right',
    cell: ({ last_seen_at }) => (last_seen_at ? <Time at={last_seen_at} /> : 'never'),
  },
  {
    heading: '',
    align: 'right',
    cell: (user) => (
      <ActsMenu
        label={`Acts on ${user.name ?? user.email}`}
        acts={[
          ...(user.is_active
            ? [{ label: 'Make a sign-in link', onSelect: () => choose(user, 'link') }]
            : [{ label: 'Activate', onSelect: () => choose(user, 'activate') }]),
          ...(user.two_factor_enabled
            ? [{ label: 'Remove the second factors', onSelect: () => choose(user, 'reset') }]
            : []),
          { label: 'Grant credits', onSelect: () => choose(user, 'grant') },
          ...(user.is_active && user.id !== me
            ? [{ label: 'Deactivate', onSelect: () => choose(user, 'deactivate'), danger: true }]
            : []),
        ]}
      />
    ),
  },
];
