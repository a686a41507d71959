import type { ValueHiding } from '../../telemetry/hide-secrets.ts';
import type { Chunks, Piece } from './chunks.ts';

/** The same chunks, with secrets hidden in what an agent writes, however it cuts its texts. */
export function hidingChunks(chunks: Chunks, hide: ValueHiding): Chunks {
  const pieces = hide.inPieces();
  let of: Piece | undefined;
  const show = (text: string) => {
    if (of !== undefined && text !== '') chunks.text({ ...of, text });
  };
  return {
    ...chunks,
    text(piece) {
      if (piece.type !== of?.type || piece.messageId !== of.messageId) show(pieces.end());
      of = piece;
      show(pieces.add(piece.text));
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
