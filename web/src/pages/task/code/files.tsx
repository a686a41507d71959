import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { type LeftDraft, MOST_KEPT } from '../../../data/drafts.ts';
import { diffCommentsQuery } from '../../../data/task.ts';
import { Failure } from '../../../ui/failure.tsx';
import { ShowMore } from '../../../ui/long-text.tsx';
import { Section } from '../../../ui/page.tsx';
import type { Task } from '../states.ts';
import { type DraftPlace, foundAgain, UnsentComments } from '../unsent-comments.tsx';
import type { Diff } from './changed-file.ts';
import type { Below } from './chunk.tsx';
import { type Comment, placed, placeOf, placesOf } from './commented.ts';
import { CommentBox, Comments, fieldOf, inWords, rangeOfField } from './diff-comments.tsx';
import { FileList } from './file-list.tsx';
import { FileView, type Shown } from './file-view.tsx';
import { useLayout, useViewed } from './kept.ts';
import type { PatchFile, Side } from './patch.ts';
import type { LineRange } from './rows.ts';
import { useChosen } from './use-chosen.ts';
import { useHasRoom } from './use-has-room.ts';

/** Pixels that two columns of code need. */
const SIDE_BY_SIDE = 640;
/** Files whose heads are drawn at once. */
const AT_ONCE = 100;

interface Compared {
  task: Task;
  diff: Diff;
  patches: readonly PatchFile[] | undefined;
  /** Whose changes these are; undefined for those of all commits. */
  commit: string | undefined;
  ignoredSpace: boolean;
}

/** The changed files one after the other, with what people say about them. */
export function Files({ task, diff, patches, commit, ignoredSpace }: Compared): ReactNode {
  const { base = '', head = '' } = diff;
  const commits: Record<Side, string> = { old: base, new: head };
  const [wanted] = useLayout();
  const { wide, place } = useHasRoom(SIDE_BY_SIDE);
  const layout = wide ? wanted : 'unified';
  const viewed = useViewed(task.id);
  const [opened, setOpened] = useState<Record<string, boolean>>({});
  const chosen = useChosen();
  const comments = useQuery(diffCommentsQuery(task.id));
  const may = task.available_actions.includes('create_diff_comment');
  const byPath = useMemo(() => new Map(patches?.map((one) => [one.paths.new, one])), [patches]);
  const open = comments.data?.filter(({ resolved }) => !resolved);
  const resolved = comments.data?.filter((comment) => comment.resolved) ?? [];
  const where = placed(open ?? [], patches ?? [], commits, commit === undefined);
  const at = diff.files.findIndex(
    ({ path, old_path }) => path === chosen.path || old_path === chosen.path,
  );
  const [more, setMore] = useState(AT_ONCE);
  const drawn = Math.max(more, at + 1);
  const files = diff.files.map(
    (file): Shown => ({ file, patch: byPath.get(file.path) ?? byPath.get(file.old_path ?? '') }),
  );
  const contentOf = ({ file, patch }: Shown) => patch?.content ?? `${file.status} ${head}`;
  // What a file is compared with stands in the patch.
  const ready = patches !== undefined;
  useScrollTo(chosen, ready);

  const belowOf =
    (patch: PatchFile | undefined): Below =>
    (side, line) => {
      if (patch === undefined) return undefined;
      const path = patch.paths[side];
      const said = where.at.get(placeOf(path, side, line));
      const { range, writing } = chosen;
      const here = range?.path === path && range.side === side && range.end === line;
      const box = writing && here && (
        <CommentBox
          key={`${range.side} ${range.start} ${range.end}`}
          taskId={task.id}
          range={range}
          commit={commits[side]}
          lineText={textOf(patch, side, line)}
          onDone={chosen.close}
        />
      );
      if (said === undefined && !box) return undefined;
      return (
        <div className="flex max-w-2xl flex-col gap-2">
          <Comments comments={said ?? []} />
          {box}
        </div>
      );
    };

  return (
    <>
      <div ref={place} className="-mt-3" />
      {wanted === 'split' && !wide && (
        <p className="text-xs text-muted">
          There is no room here for both sides: the changes stand below each other.
        </p>
      )}
      {ready && may && (
        <UnsentComments
          taskId={task.id}
          kind="code"
          open={chosen.writing && chosen.range !== undefined ? fieldOf(chosen.range) : undefined}
          placeOf={(draft) => placeOfDraft(draft, patches, (range) => chosen.choose(range, true))}
        />
      )}
      <FileList
        files={files}
        truncated={diff.truncated}
        isViewed={(one) => ready && viewed.isViewed(one.file.path, contentOf(one))}
      />
      {comments.error && <Failure error={comments.error} retry={() => void comments.refetch()} />}
      {files.slice(0, drawn).map((one) => {
        const { path, old_path = path } = one.file;
        const isViewed = ready && viewed.isViewed(path, contentOf(one));
        const range = rangeIn(one, chosen.range);
        const noted = notesOf(one, where.at, chosen.writing ? range : undefined);
        const others = [...new Set([path, old_path])].flatMap((of) => where.others.get(of) ?? []);
        return (
          <FileView
            key={path}
            shown={one}
            layout={layout}
            address={(side) => addressOf(task.id, commit, side, side === 'old' ? old_path : path)}
            open={opened[path] ?? (!isViewed || range !== undefined)}
            viewed={isViewed}
            ready={ready}
            ignoredSpace={ignoredSpace}
            range={range}
            below={belowOf(one.patch)}
            hasNotes={(row) =>
              noted.size > 0 &&
              one.patch !== undefined &&
              placesOf(one.patch, row).some((place) => noted.has(place))
            }
            others={
              others.length > 0 && (
                <div className="flex flex-col gap-2 border-t border-line p-2">
                  <p className="text-muted">On lines that are not shown here:</p>
                  <Comments comments={others} elsewhere />
                </div>
              )
            }
            onOpen={(is) => setOpened({ ...opened, [path]: is })}
            onViewed={(is) => {
              viewed.note(path, contentOf(one), is);
              setOpened({ ...opened, [path]: !is });
            }}
            onRange={chosen.drag}
            onChosen={(lines) => chosen.choose(lines, may)}
          />
        );
      })}
      {files.length > drawn && (
        <ShowMore
          of={`${drawn.toLocaleString('en')} of ${files.length.toLocaleString('en')} files`}
          onClick={() => setMore(drawn + AT_ONCE)}
        />
      )}
      <Elsewhere others={where.others} files={files} resolved={resolved} />
    </>
  );
}

/** What people said about files that are not in this difference, and what is resolved. */
function Elsewhere({
  others,
  files,
  resolved,
}: {
  others: ReadonlyMap<string, Comment[]>;
  files: readonly Shown[];
  resolved: readonly Comment[];
}): ReactNode {
  const shown = new Set(files.flatMap(({ file: { path, old_path } }) => [path, old_path]));
  const rest = [...others].flatMap(([path, comments]) => (shown.has(path) ? [] : comments));
  if (rest.length === 0 && resolved.length === 0) return null;
  return (
    <Section title="Other comments">
      <Comments comments={rest} elsewhere />
      {resolved.length > 0 && (
        <details>
          <summary className="text-muted">{resolved.length} resolved</summary>
          <div className="flex flex-col gap-2 pt-2">
            <Comments comments={resolved} elsewhere />
          </div>
        </details>
      )}
    </Section>
  );
}

/** Where the lines of a comment that was not sent are in this difference. */
function placeOfDraft(
  draft: LeftDraft,
  patches: readonly PatchFile[],
  choose: (range: LineRange) => void,
): DraftPlace {
  const range = rangeOfField(draft.field);
  if (range === undefined) return { about: 'In the code', goOn: undefined };
  const { path, side } = range;
  const patch = patches.find(({ paths }) => paths[side] === path);
  const texts = patch === undefined ? new Map<number, string>() : textsOf(patch, side);
  const now = foundAgain(range, draft.about, texts);
  return {
    about: `${path}, ${inWords({ ...range, ...now })}`,
    goOn:
      now &&
      (() => {
        const found = { path, side, ...now };
        draft.moveTo(fieldOf(found));
        choose(found);
      }),
  };
}

const textsOf = ({ hunks }: PatchFile, side: Side): Map<number, string> =>
  new Map(
    hunks.flatMap(({ lines }) =>
      lines.flatMap((line): [number, string][] => {
        const number = line[side];
        return number === undefined ? [] : [[number, line.text.slice(0, MOST_KEPT)]];
      }),
    ),
  );

const rangeIn = ({ patch }: Shown, range: LineRange | undefined): LineRange | undefined =>
  range !== undefined && patch?.paths[range.side] === range.path ? range : undefined;

/** Places of a file below which something stands. */
function notesOf(
  { patch }: Shown,
  at: ReadonlyMap<string, unknown>,
  writing: LineRange | undefined,
): ReadonlySet<string> {
  const { old: was, new: is } = patch?.paths ?? { old: '', new: '' };
  const places = [...at.keys()].filter(
    (place) => place.endsWith(` ${is}`) || place.endsWith(` ${was}`),
  );
  if (writing !== undefined) places.push(placeOf(writing.path, writing.side, writing.end));
  return new Set(places);
}

const textOf = ({ hunks }: PatchFile, side: Side, number: number): string => {
  for (const { lines } of hunks)
    for (const line of lines) if (line[side] === number) return line.text;
  return '';
};

function addressOf(taskId: string, commit: string | undefined, side: Side, path: string): string {
  const query = new URLSearchParams({ format: 'file', side, path });
  if (commit !== undefined) query.set('commit', commit);
  return `/api/tasks/${taskId}/diff?${query}`;
}

/** Leads to the file and the lines that the address names, once they are there. */
function useScrollTo({ path, range }: ReturnType<typeof useChosen>, ready: boolean): void {
  const last = useRef<string>(undefined);
  const wanted = path === undefined ? undefined : JSON.stringify([path, range]);
  const chosenHere = useRef(false);
  useEffect(() => {
    chosenHere.current = document.activeElement?.matches('[data-side]') ?? false;
  });
  useEffect(() => {
    if (!ready || wanted === undefined || wanted === last.current) return;
    last.current = wanted;
    // Who has just chosen lines with the mouse or the keys is there already.
    if (chosenHere.current || path === undefined) return;
    const file = document.querySelector(`[data-file="${CSS.escape(path)}"]`);
    const line = range && file?.querySelector(`[data-${range.side}="${range.start}"]`);
    if (line) line.scrollIntoView({ block: 'center' });
    else file?.scrollIntoView({ block: 'start' });
  }, [ready, wanted, path, range]);
}
