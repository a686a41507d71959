import type { Font, Glyph, GlyphRun, Subset } from 'fontkit';

/**
 * A font of one weight, as pdfkit takes it: it finds fonts by `postscriptName`, which all files of a
 * family share, so each has a name of its own here.
 */
export interface Face {
  readonly postscriptName: string;
  readonly unitsPerEm: number;
  has(codePoint: number): boolean;
  /** Shapes a text, whose glyphs are in the order in which they are drawn from left to right. */
  layout(text: string, features: string[]): Shaped;
}

interface Shaped {
  glyphs: Glyph[];
  positions: GlyphRun['positions'];
  readonly advanceWidth: number;
}

/** The direction of a text, as the feature of OpenType that pdfkit hands through to `layout`. */
export const LEFT_TO_RIGHT = ['ltrm'];
export const RIGHT_TO_LEFT = ['rtlm'];

/** `varied`: the font is not the one that its file has without variations. */
export function faceOf(font: Font, postscriptName: string, varied: boolean): Face {
  const face: Face = Object.create(font, {
    postscriptName: { value: postscriptName },
    has: { value: (codePoint: number) => font.hasGlyphForCodePoint(codePoint) },
    layout: { value: (text: string, [direction]: string[]) => shape(font, text, direction) },
    ...(varied ? { createSubset: { value: () => flattening(font.createSubset()) } } : {}),
  });
  return face;
}

function shape(font: Font, text: string, direction: string | undefined): Shaped {
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

/** What a subset of a TrueType font has beyond its types. */
interface Writing extends Subset {
  font: Font;
  glyf: Uint8Array[];
  offset: number;
  loca: { offsets: number[] };
  hmtx: { metrics: { advance: number; bearing: number }[] };
  _addGlyph(id: number): void;
}

/**
 * The subset of a varied font. fontkit cannot write those itself: it fails for a simple glyph, and
 * copies a composed one with the offsets of the weight that the file has without variations.
 */
function flattening(subset: Subset): Subset {
  const writing = subset as Writing;
  writing._addGlyph = (id) => {
    const glyph = writing.font.getGlyph(id);
    const commands = glyph.path.commands as Command[];
    const bytes = outline(commands);
    const bearing = commands.length === 0 ? 0 : Math.round(glyph.path.bbox.minX);
    writing.glyf.push(bytes);
    writing.loca.offsets.push(writing.offset);
    writing.hmtx.metrics.push({ advance: glyph.advanceWidth, bearing });
    writing.offset += bytes.length;
  };
  return writing;
}

interface Command {
  command: 'moveTo' | 'lineTo' | 'quadraticCurveTo' | 'closePath';
  args: number[];
}

/** A path as a simple glyph of the table `glyf`: one flag and two words for each point. */
function outline(commands: Command[]): Uint8Array {
  const points: { x: number; y: number; onCurve: boolean }[] = [];
  const ends: number[] = [];
  for (const { command, args } of commands) {
    if (command === 'closePath') ends.push(points.length - 1);
    for (let i = 0; i < args.length; i += 2)
      points.push({
        x: Math.round(args[i] as number),
        y: Math.round(args[i + 1] as number),
        onCurve: i === args.length - 2,
      });
  }
  if (points.length === 0) return new Uint8Array(0);
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  const size = 12 + 2 * ends.length + 5 * points.length;
  const bytes = Buffer.alloc(size + (size % 2));
  let at = 0;
  const word = (value: number) => {
    at = bytes.writeInt16BE(value, at);
  };
  for (const value of [ends.length, ...box, ...ends, 0]) word(value);
  for (const { onCurve } of points) at = bytes.writeUInt8(onCurve ? 1 : 0, at);
  for (const values of [xs, ys])
    values.forEach((value, i) => {
      word(value - (values[i - 1] ?? 0));
    });
  return bytes;
}
