import PDFDocument from 'pdfkit';
import { drawLine } from './draw-line.ts';
import type { FaceFor } from './fonts.ts';
import { drawable, type Line, linesOf, type Style } from './lines.ts';

/** Paper in points. */
const PAPERS = { a4: [595.28, 841.89], letter: [612, 792] } as const;
export type Paper = keyof typeof PAPERS;

/** The distance between two baselines, and that of the first from the top, in sizes of the font. */
const LINE = 1.45;
const ASCENT = 1.07;

/** How far letters may reach out of their line and cell, in sizes of the font. */
const OVERHANG = 0.12;

export const MARGIN = 56;
const FOOTER = 28;

const BLACK = '#1a1d21';

/** What is known of a document before it is drawn. */
interface About {
  title: string;
  author: string;
  /** When it was made: the same document has the same bytes. */
  date: Date;
}

/** What a paragraph is, for programs that read the document aloud. */
export type Tag = 'H1' | 'P' | 'TH' | 'TD';

interface Text extends Style {
  text: string;
  color?: string;
}

/** A text beside others: where it begins, and how wide it may be. */
export interface Cell extends Text {
  tag: Tag;
  x: number;
  width: number;
  align?: 'left' | 'right';
}

/**
 * Pages that are filled from the top. What does not fit on a page goes on at the top of the next
 * one. `y` is where the next text begins.
 */
export class Sheet {
  readonly left = MARGIN;
  readonly width: number;
  y = MARGIN;
  readonly #document: PDFKit.PDFDocument;
  readonly #bottom: number;
  readonly #faceFor: FaceFor;
  readonly #root: PDFKit.PDFStructureElement;

  constructor(paper: Paper, faceFor: FaceFor, { title, author, date }: About, compress = true) {
    const [width, height] = PAPERS[paper];
    this.#document = new PDFDocument({
      size: [width, height],
      margin: 0,
      bufferPages: true,
      pdfVersion: '1.7',
      lang: 'en',
      tagged: true,
      displayTitle: true,
      compress,
      info: {
        Title: title,
        Author: author,
        Creator: 'Guildhall',
        Producer: 'Guildhall',
        CreationDate: date,
        ModDate: date,
      },
      // Otherwise it opens Helvetica.
      font: null as unknown as string,
    });
    this.#faceFor = faceFor;
    this.#root = this.#document.struct('Document');
    this.#document.addStructure(this.#root);
    this.width = width - 2 * MARGIN;
    this.#bottom = height - MARGIN - FOOTER;
  }

  /** Texts beside each other, each as many lines as it needs. */
  row(cells: readonly Cell[], within = this.#root): void {
    this.beside(
      cells.map((cell) => [cell]),
      within,
    );
  }

  /**
   * Columns beside each other, with the texts of each below one another. When a page is full, all of
   * them go on at the top of the next one.
   */
  beside(columns: readonly (readonly Cell[])[], within = this.#root): void {
    const height = LINE * Math.max(...columns.flat().map(({ size }) => size));
    const filled = columns.map((cells) =>
      cells.flatMap((cell) => {
        const element = this.#document.struct(cell.tag);
        within.add(element);
        const lines = linesOf(drawable(cell.text), this.#faceFor, cell, cell.width);
        return lines.map((line, i) => ({ cell, element, line, isLast: i === lines.length - 1 }));
      }),
    );
    for (let i = 0; i < Math.max(...filled.map(({ length }) => length)); i++) {
      this.room(height);
      for (const column of filled) {
        const { cell, element, line, isLast } = column[i] ?? {};
        if (cell === undefined || line === undefined || element === undefined) continue;
        this.#tagged(element, cell, line);
        if (isLast) element.end();
      }
      this.y += height;
    }
  }

  /** A text over the whole width. */
  paragraph(text: Text, tag: Tag = 'P'): void {
    this.row([{ ...text, tag, x: this.left, width: this.width }]);
  }

  /** Rows that are a table. */
  table(draw: (row: (cells: readonly Cell[]) => void) => void): void {
    const table = this.#document.struct('Table');
    this.#root.add(table);
    draw((cells) => {
      const row = this.#document.struct('TR');
      table.add(row);
      this.row(cells, row);
      row.end();
    });
    table.end();
  }

  space(points: number): void {
    this.y += points;
  }

  /** Goes to the next page if this one has not as much room. */
  room(points: number): void {
    if (this.y + points <= this.#bottom) return;
    this.#document.addPage();
    this.y = MARGIN;
  }

  /** A line across the page, or from `x` on. */
  rule(color: string, x = this.left, weight = 0.75): void {
    this.room(weight);
    this.#artifact('Layout', () =>
      this.#document
        .moveTo(x, this.y)
        .lineTo(this.left + this.width, this.y)
        .lineWidth(weight)
        .stroke(color),
    );
  }

  /** Ends the document, with `footer` and the number at the bottom of each page. */
  async end(footer: Text, numbered: (page: number, of: number) => string): Promise<Uint8Array> {
    this.#root.end();
    const { count } = this.#document.bufferedPageRange();
    const number = { ...footer, align: 'right' as const };
    const share = this.width * 0.7;
    for (let page = 0; page < count; page++) {
      this.#document.switchToPage(page);
      this.y = this.#bottom + FOOTER;
      this.#artifact('Pagination', () => {
        this.#footer({ ...footer, tag: 'P', x: this.left, width: share });
        const text = numbered(page + 1, count);
        const x = this.left + share;
        this.#footer({ ...number, text, tag: 'P', x, width: this.width - share });
      });
    }
    this.#document.end();
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#document) pieces.push(piece as Uint8Array);
    return Buffer.concat(pieces);
  }

  #footer(cell: Cell): void {
    const [line] = linesOf(drawable(cell.text), this.#faceFor, cell, cell.width);
    if (line !== undefined) this.#line(cell, line);
  }

  #artifact(type: 'Layout' | 'Pagination', draw: () => void): void {
    this.#document.markContent('Artifact', { type });
    draw();
    this.#document.endMarkedContent();
  }

  #tagged(element: PDFKit.PDFStructureElement, cell: Cell, line: Line): void {
    const content = this.#document.markStructureContent(cell.tag);
    this.#line(cell, line);
    this.#document.endMarkedContent();
    element.add(content);
  }

  #line({ x, width, size, align, color = BLACK }: Cell, line: Line): void {
    const at = align === 'right' ? x + width - line.width : x;
    const over = size * OVERHANG;
    // Any number of marks can be stacked on a letter, over the lines above and below it.
    this.#document
      .save()
      .rect(x - over, this.y - over, width + 2 * over, size * LINE + 2 * over)
      .clip()
      .fillColor(color);
    drawLine(this.#document, line, { x: at, y: this.y + size * ASCENT, size });
    this.#document.restore();
  }
}
