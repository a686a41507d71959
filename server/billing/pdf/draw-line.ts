import type { Line, Run } from './lines.ts';

/** What a document of pdfkit has beyond its types. */
interface Drawing extends PDFKit.PDFDocument {
  _font: {
    id: string;
    ref(): unknown;
    /** The numbers of the glyphs in the subset, in hexadecimal, in thousandths of the size. */
    encode(text: string, features: readonly string[]): [string[], Position[]];
  };
  page: PDFKit.PDFPage & { fonts: Record<string, unknown> };
}

interface Position {
  xAdvance: number;
  /** What the font itself says. */
  advanceWidth: number;
  xOffset: number;
  yOffset: number;
}

/**
 * Draws a line of text that begins at `x` and stands on `y`. pdfkit's own `text` shapes each word by
 * itself from left to right, and knows one font at a time.
 *
 * A part whose glyphs are not its characters one after another says what it is (ActualText), for
 * programs that copy or search it. Those from right to left do not need it: such programs expect
 * their glyphs in the order of the page, and turn them. It says so within the transformation of its
 * glyphs, because Poppler would otherwise place it outside of the page.
 */
export function drawLine(
  document: PDFKit.PDFDocument,
  { runs }: Line,
  { x, y, size }: { x: number; y: number; size: number },
): void {
  const drawing = document as Drawing;
  const { height } = drawing.page;
  drawing.save().transform(1, 0, 0, -1, 0, height);
  let at = x;
  for (const run of runs) {
    if (run.says !== undefined) drawing.markContent('Span', { actual: run.says });
    drawRun(drawing, run, at, height - y, size);
    if (run.says !== undefined) drawing.endMarkedContent();
    at += run.width;
  }
  drawing.restore();
}

function drawRun(drawing: Drawing, run: Run, x: number, y: number, size: number): void {
  drawing.font(run.face as unknown as string, run.face.postscriptName);
  const { _font: font, page } = drawing;
  page.fonts[font.id] ??= font.ref();
  const [glyphs, positions] = font.encode(run.text, run.features);
  drawing.addContent('BT').addContent(`/${font.id} ${written(size)} Tf`);
  let [at, shown] = [x, ''];
  const place = (left: number, bottom: number) =>
    drawing.addContent(`1 0 0 1 ${written(left)} ${written(bottom)} Tm`);
  const flush = () => {
    if (shown !== '') drawing.addContent(`[${shown}] TJ`);
    shown = '';
  };
  place(at, y);
  glyphs.forEach((glyph, i) => {
    const { xAdvance, advanceWidth, xOffset, yOffset } = positions[i] as Position;
    const isMoved = xOffset !== 0 || yOffset !== 0;
    if (isMoved) {
      flush();
      place(at + (xOffset / 1000) * size, y + (yOffset / 1000) * size);
    }
    shown += `<${glyph}>${written(advanceWidth - xAdvance)} `;
    at += (xAdvance / 1000) * size;
    if (isMoved) {
      flush();
      place(at, y);
    }
  });
  flush();
  drawing.addContent('ET');
}

const written = (value: number): string => String(Math.round(value * 1000) / 1000 || 0);
