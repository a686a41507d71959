import type { components } from '@guildhall/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { memberPagesQuery, rolesQuery, teamsQuery } from '../../data/workspace.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { ActsMenu } from '../../ui/menu.tsx';
import { More } from '../../ui/more.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Empty, Section } from '../../ui/page.tsx';
import { ColorName, PersonName } from '../../ui/people.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { MemberDialog, type Receipt, RemoveMember } from './member.tsx';
import { useWorkspace } from './use-workspace.ts';

type Member = components['schemas']['Member'];

/** The people of a workspace. The filter and the person who is looked at stand in the address. */
export function Members(): ReactNode {
  const { id: org, available_actions } = useWorkspace();
  const { q, role, team, person } = useSearch({ from: '/signed-in/workspaces/$org/members' });
  const navigate = useNavigate();
  const members = useInfiniteQuery(memberPagesQuery(org, { q, role, team_id: team }));
  const roles = useQuery(rolesQuery(org));
  const teams = useQuery(teamsQuery(org));
  const [removing, setRemoving] = useState<string>();
  const [receipt, setReceipt] = useState<Receipt>();
  const rows = useMemo(
    () => members.data?.pages.flatMap(({ items }) => items) ?? [],
    [members.data],
  );
  const filter = (change: {
    q?: string | undefined;
    role?: string;
    team?: string;
    person?: string;
  }) => void navigate({ to: '.', search: (search) => ({ ...search, ...change }), replace: true });
  // Who may invite people may change and remove them.
  const may = available_actions.includes('create_invitation');
  const columns = useColumns(org, may, setRemoving);
  const shown = rows.find(({ user_id }) => user_id === person);
  // The person of a link may be further down the list than what has been read.
  const { hasNextPage, isFetching, isError, fetchNextPage } = members;
  const reading = person !== undefined && shown === undefined && hasNextPage;
  useEffect(() => {
    if (reading && !isFetching && !isError) void fetchNextPage();
  }, [reading, isFetching, isError, fetchNextPage]);
  const leaving = rows.find(({ user_id }) => user_id === removing);
  return (
    <Section
      title="Members"
      actions={
        may && (
          <ButtonLink
            to="/workspaces/$org/invitations"
            params={{ org }}
            search={{ create: true }}
            icon="plus"
            look="primary"
          >
            Invite
          </ButtonLink>
        )
      }
    >
      {receipt && (
        <Notice onClose={() => setReceipt(undefined)}>
          <span dir="auto">{receipt.name}</span> has been removed. Teams left: {receipt.teams_left}.
          Roles on projects removed: {receipt.overrides_removed}.
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          label="Search members by name or address"
          value={q}
          onChange={(text) => filter({ q: text })}
        />
        <Select
          label="Only this role"
          value={role}
          none="All roles"
          options={roles.data
            ?.filter(({ scope }) => scope === 'workspace')
            .map(({ slug, name }) => ({ value: slug, label: name }))}
          onChange={(value) => filter({ role: value })}
        />
        <Select
          label="Only this team"
          value={team}
          none="All teams"
          options={teams.data?.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(value) => filter({ team: value })}
        />
      </div>
      {members.error && !members.isFetchNextPageError && (
        <Failure error={members.error} retry={() => void members.refetch()} />
      )}
      {members.data !== undefined && rows.length === 0 && (
        <Empty>No member fits. Another word, role or team may find them.</Empty>
      )}
      {rows.length > 0 && (
        <Table label="Members" rows={rows} keyOf={({ user_id }) => user_id} columns={columns} />
      )}
      <More list={members} />
      {shown && (
        <MemberDialog
          org={org}
          member={shown}
          roles={roles.data ?? []}
          onRemove={() => {
            filter({ person: undefined });
            setRemoving(shown.user_id);
          }}
          onClose={() => filter({ person: undefined })}
        />
      )}
      {leaving && (
        <RemoveMember
          org={org}
          member={leaving}
          onRemoved={setReceipt}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </Section>
  );
}

/** The columns stay the same while rows are added, so that those that are there are not drawn again. */
function useColumns(
  org: string,
  /** Whether this person may change and remove members. */
  may: boolean,
  onRemove: (person: string) => void,
): readonly Column<Member>[] {
  const navigate = useNavigate({ from: '/workspaces/$org/members' });
  const open = useCallback(
    (person: string) =>
      void navigate({ to: '.', search: (search) => ({ ...search, person }), replace: true }),
    [navigate],
  );
  return useMemo(
    () => [
      {
        heading: 'Person',
        cell: ({ user_id, name, email, kind, is_active }) => (
          <Link
            to="/workspaces/$org/members"
            params={{ org }}
            search={(search) => ({ ...search, person: user_id })}
            className="block hover:underline"
          >
            <PersonName name={name} email={email} />
            {kind === 'service' && <Status state="idle">Service account</Status>}
            {!is_active && <Status state="idle">Deactivated</Status>}
          </Link>
        ),
      },
      {
        heading: 'Role',
        cell: ({ role_name, role_color }) => <ColorName name={role_name} color={role_color} />,
      },
      {
        heading: 'Teams',
        wide: true,
        cell: ({ teams: theirs }) => (
          <span dir="auto" className="line-clamp-2">
            {theirs.map(({ name }) => name).join(', ')}
          </span>
        ),
      },
      {
        heading: 'Two factors',
        wide: true,
        cell: ({ two_factor_enabled }) => (two_factor_enabled ? 'Yes' : 'No'),
      },
      { heading: 'Joined', wide: true, cell: ({ joined_at }) => <Time at={joined_at} /> },
      {
        heading: '',
        align: 'right',
        cell: ({ user_id, name, email, is_owner }) => (
          <ActsMenu
            label={`Acts on ${name ?? email}`}
            acts={
              may
                ? [
                    { label: 'Change the role', onSelect: () => open(user_id) },
                    {
                      label: 'Remove',
                      danger: true,
                      disabled: is_owner,
                      onSelect: () => onRemove(user_id),
                    },
                  ]
                : []
            }
          />
        ),
      },
    ],
    [org, may, onRemove, open],
  );
}
