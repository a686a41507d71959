import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Failure } from '../../ui/failure.tsx';
import { More } from '../../ui/more.tsx';
import { Empty } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';

type List<Row> = UseInfiniteQueryResult<{ pages: { items: Row[] }[] }>;

/** A list that is read page by page, with what it says when it is empty or cannot be read. */
export function Paged<Row extends { id: string }>({
  label,
  list,
  columns,
  none,
}: {
  label: string;
  list: List<Row>;
  columns: readonly Column<Row>[];
  none: string;
}): ReactNode {
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      {list.error && !list.isFetchNextPageError && (
        <Failure error={list.error} retry={() => void list.refetch()} />
      )}
      {list.data && rows.length === 0 && <Empty>{none}</Empty>}
      {rows.length > 0 && (
        <Table label={label} rows={rows} keyOf={({ id }) => id} columns={columns} />
      )}
      <More list={list} />
    </>
  );
}

/** What is looked for: it stands in the address, which may hold anything. */
export function useWanted(): [string | undefined, (q: string | undefined) => void] {
  const { q }: { q?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (text: string | undefined) =>
    void navigate({
      to: '.',
      search: ((former: object) => ({ ...former, q: text })) as never,
      replace: true,
    });
  return [q === undefined ? undefined : String(q).slice(0, 200), set];
}
