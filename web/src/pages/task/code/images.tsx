import type { ReactNode } from 'react';
import { bytes, type ChangedFile } from './changed-file.ts';

/** What browsers draw; a drawing in SVG is text, and shown as such. */
export const isImage = (path: string): boolean =>
  /\.(?:png|jpe?g|gif|webp|avif|bmp|ico)$/i.test(path);

/** Larger ones are not sent. */
const MOST_BYTES = 8 * 1024 * 1024;

/** An image before and after the change. */
export function Images({
  file,
  address,
}: {
  file: ChangedFile;
  address: (side: 'old' | 'new') => string;
}): ReactNode {
  const { old_mode, new_mode, old_size, new_size, path } = file;
  const sides = [
    { side: 'old' as const, word: 'Before', there: old_mode !== undefined, size: old_size },
    { side: 'new' as const, word: 'After', there: new_mode !== undefined, size: new_size },
  ].filter(({ there }) => there);
  return (
    <div className="grid gap-3 p-3 sm:grid-cols-2">
      {sides.map(({ side, word, size }) => (
        <figure key={side} className="flex flex-col gap-1">
          <figcaption className="text-xs text-muted">
            {word}
            {size !== undefined && `, ${bytes(size)}`}
          </figcaption>
          {size !== undefined && size > MOST_BYTES ? (
            <p className="text-muted">It is too large to be shown.</p>
          ) : (
            <img
              src={address(side)}
              alt={`${path} ${side === 'old' ? 'before' : 'after'} the change`}
              loading="lazy"
              className="h-48 max-w-full self-start rounded-box border border-line bg-canvas object-contain"
            />
          )}
        </figure>
      ))}
    </div>
  );
}
