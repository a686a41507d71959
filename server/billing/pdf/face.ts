import type { Font, Glyph, GlyphRun } from 'fontkit';

/**
 * A font of one weight, as pdfkit takes it: it finds fonts by `postscriptName`, which all files of a
 * family share, so each has a name of its own here.
 */
export interface Face {
  readonly postscriptName: string;
  readonly unitsPerEm: number;
  has(codePoint: number): boolean;
  /** Shapes a text, whose glyphs are in the order in which they are drawn from left to right. */
  layout(text: string, features: Direction): Shaped;
}

interface Shaped {
  glyphs: Glyph[];
  positions: GlyphRun['positions'];
  readonly advanceWidth: number;
}

export type Direction = ('ltrm' | 'rtlm')[];
/** The direction of a text, as the feature of OpenType that pdfkit hands through to `layout`. */
export const LEFT_TO_RIGHT: Direction = ['ltrm'];
export const RIGHT_TO_LEFT: Direction = ['rtlm'];

export const faceOf = (font: Font, postscriptName: string): Face =>
  Object.create(font, {
    postscriptName: { value: postscriptName },
    has: { value: (codePoint: number) => font.hasGlyphForCodePoint(codePoint) },
    layout: { value: (text: string, [direction]: Direction) => shape(font, text, direction) },
  });

function shape(font: Font, text: string, direction: Direction[0] | undefined): Shaped {
  // A glyph that is kept would be copied as the characters of the document that used it first.
  (font as Font & { _glyphs: object })._glyphs = {};
  const run = font.layout(
    text,
    undefined,
    undefined,
    undefined,
    direction === 'rtlm' ? 'rtl' : 'ltr',
  );
  // An invisible character is a missing glyph in fonts without a space.
  const drawn = run.glyphs.map(({ id }) => id !== 0);
  const glyphs = run.glyphs.filter((_, i) => drawn[i]).map(named);
  const positions = run.positions.filter((_, i) => drawn[i]);
  return {
    glyphs,
    positions,
    // pdfkit changes the positions to its own unit.
    get advanceWidth() {
      return positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0);
    },
  };
}

/** A glyph without a character, such as a second one for the same, copies as nothing visible. */
const named = (glyph: Glyph): Glyph =>
  glyph.codePoints.length > 0
    ? glyph
    : Object.create(glyph, { codePoints: { value: [WORD_JOINER] } });

const WORD_JOINER = 0x2060;
