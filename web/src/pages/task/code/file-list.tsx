import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../../ui/icons.tsx';
import { ShowMore } from '../../../ui/long-text.tsx';
import { Counts, type Shown } from './file-view.tsx';
import { inFull } from './hidden-characters.ts';

const AT_ONCE = 300;

/** All changed files, to go to one; ticked where it was viewed. */
export function FileList({
  files,
  truncated,
  isViewed,
}: {
  files: readonly Shown[];
  truncated: boolean;
  isViewed: (shown: Shown) => boolean;
}): ReactNode {
  const [shown, setShown] = useState(AT_ONCE);
  const viewed = files.filter(isViewed).length;
  return (
    <details
      className="rounded-box border border-line"
      open={files.length > 1 && files.length <= 20}
    >
      <summary className="px-3 py-1.5 text-muted">
        {viewed} of {files.length.toLocaleString('en')} viewed
        {truncated && ' (of more files, only these are listed)'}
      </summary>
      <ul aria-label="Changed files" className="max-h-80 overflow-y-auto border-t border-line py-1">
        {files.slice(0, shown).map((one) => (
          <li key={one.file.path}>
            <Link
              to="."
              search={({ lines: _, ...search }) => ({ ...search, file: one.file.path })}
              replace
              className="flex items-center gap-2 px-3 py-1 hover:bg-raised"
            >
              <span className={`size-3 ${isViewed(one) ? 'text-done' : 'invisible'}`}>
                <Icon name="check" size={12} />
              </span>
              <span className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">
                {inFull(one.file.path)}
              </span>
              {isViewed(one) && <span className="sr-only">viewed</span>}
              <Counts file={one.file} />
            </Link>
          </li>
        ))}
      </ul>
      {files.length > shown && (
        <ShowMore
          of={`${shown.toLocaleString('en')} of ${files.length.toLocaleString('en')} files`}
          onClick={() => setShown(shown + AT_ONCE)}
        />
      )}
    </details>
  );
}
