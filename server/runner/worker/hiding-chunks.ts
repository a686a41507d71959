import type { ValueHiding } from '../../telemetry/hide-secrets.ts';
import type { Chunks } from './chunks.ts';

/** The same chunks, with secrets hidden in what an agent writes, however it cuts its texts. */
export function hidingChunks(chunks: Chunks, hide: ValueHiding): Chunks {
  const pieces = hide.inPieces();
  let of: 'message' | 'thought' = 'message';
  const show = (text: string) => {
    if (text !== '') chunks.text(of, text);
  };
  return {
    ...chunks,
    text(type, text) {
      if (type !== of) show(pieces.end());
      of = type;
      show(pieces.add(text));
    },
    event(event) {
      show(pieces.end());
      chunks.event(event);
    },
    end() {
      show(pieces.end());
      return chunks.end();
    },
  };
}
