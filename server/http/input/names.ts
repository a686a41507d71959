/**
 * Names that people tell apart by eye: those of workspaces, teams, roles, projects, tasks, files
 * and keys (ruling 1.16, decision 17). The database functions `is_name` and `name_key` have the
 * same rules; a test compares them over all of Unicode.
 */
import Type from 'typebox';

const NOT_IN_NAMES =
  String.raw`\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f` +
  String.raw`\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ue000-\uf8ff\ufdd0-\ufdef` +
  String.raw`\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff`;

/**
 * The pattern in the document. It covers a part of the rule, because where joiners may stand is too
 * complex for a portable pattern.
 */
export const NAME = `^[^${NOT_IN_NAMES}]*$`;

/** The same for the name of a file, which has no folders and is not a folder itself. */
export const FILE_NAME = String.raw`^(?!\s*\.\.?\s*$)[^/\\${NOT_IN_NAMES}]*$`;

/**
 * A name; the handler gets it trimmed and in NFC. The bounds count code points. Compare names by
 * `nameKey`, in SQL by `name_key`.
 */
export function name(
  options: Type.TSchemaOptions & { minLength?: number; maxLength: number },
): Type.TString {
  return Type.String({ minLength: 1, ...options, pattern: NAME });
}

/** The name of a file; the handler gets it trimmed and in NFC, and checks what FILE_NAME adds. */
export function fileName(
  options: Type.TSchemaOptions & { minLength?: number; maxLength: number },
): Type.TString {
  return Type.String({ minLength: 1, ...options, pattern: FILE_NAME });
}

// Characters newer than Unicode 14, the version of PostgreSQL 15, that case folding or
// normalization changes. Versions of PostgreSQL and Node.js would disagree about which names are
// equal.
const NOT_YET_STABLE =
  String.raw`\u0897\u1ACF-\u1AEB\u1C89\u1C8A\uA7CB-\uA7CF\uA7D2\uA7D4\uA7DA-\uA7F1\u{105C9}` +
  String.raw`\u{105D2}\u{105DA}\u{105E4}\u{10D50}-\u{10D85}\u{10EFA}-\u{10EFF}` +
  String.raw`\u{11382}-\u{113D0}\u{11F41}\u{11F42}\u{1611E}-\u{1612F}\u{16D63}-\u{16D6A}` +
  String.raw`\u{16EA0}-\u{16ED3}\u{1CCD6}-\u{1CCF9}\u{1E030}-\u{1E08F}\u{1E4EC}-\u{1E4EF}` +
  String.raw`\u{1E5EE}\u{1E5EF}\u{1E6E3}-\u{1E6F5}`;

/** Symbols and letters without ink: Braille, the object replacement, a note, two hieroglyphs. */
const BLANK = String.raw`\u2800\uFFFC\u{1D159}\u{13441}\u{13442}`;

/** Visible format characters: signs that enclose the digits or letters after them. */
const VISIBLE_FORMATS = String.raw`\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}`;

const INVISIBLE = String.raw`\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}`;
const FORBIDDEN = new RegExp(
  `[[${INVISIBLE}${BLANK}${NOT_YET_STABLE}]--[${VISIBLE_FORMATS}]]`,
  'v',
);
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

const EMOJI = String.raw`\p{Extended_Pictographic}`;
const ARABIC = String.raw`[\p{scx=Arab}\p{scx=Syrc}]`;
const VIRAMA = String.raw`[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]`;
/** `eng`, `sct` and `wls`, in tag characters. */
const NATION =
  String.raw`(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|` +
  String.raw`\u{E0077}\u{E006C}\u{E0073})`;

// Where joiners and variation selectors belong to the spelling of a name (UAX 31, UTS 51):
const JOINED = new RegExp(
  [
    // in emoji of several parts, after a pictograph, in keycaps, and in the flags of England,
    // Scotland and Wales;
    String.raw`(?<=${EMOJI}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)\u200D(?=${EMOJI})`,
    String.raw`(?<=${EMOJI})[\uFE0E\uFE0F]`,
    String.raw`(?<=[0-9#*])\uFE0F(?=\u20E3)`,
    String.raw`(?<=\u{1F3F4})\u{E0067}\u{E0062}${NATION}\u{E007F}`,
    // between Arabic or Syriac letters that must not be joined;
    String.raw`(?<=${ARABIC})\u200C(?=${ARABIC})`,
    // at the virama of an Indic conjunct.
    String.raw`(?<=${VIRAMA})[\u200C\u200D]`,
    String.raw`(?<=\p{Lo})\u200D(?=[\u094D\u09CD\u0D4D\u0DCA])`,
  ].join('|'),
  'gu',
);

const PRINTABLE_ASCII = /^[ -~]*$/;

/** What is wrong with a name; `Name ${advice}` is a sentence. */
type NameFault = { type: string; advice: string; ctx?: Record<string, unknown> };

/** Why `text`, which is trimmed, in NFC and not empty, cannot be a name; undefined if it can. */
export function nameFault(text: string): NameFault | undefined {
  if (PRINTABLE_ASCII.test(text)) return undefined;
  const characters = withoutJoiners(text);
  const index = characters.findIndex((character) => FORBIDDEN.test(character));
  if (index >= 0) {
    const [code_point, position] = [codePoint(characters[index] ?? ''), index + 1];
    return {
      type: 'character_not_allowed',
      advice:
        `must not contain ${code_point} (character ${position}), ` +
        'which is invisible or not supported: remove it',
      ctx: { code_point, position },
    };
  }
  if (characters.some((character) => VISIBLE.test(character))) return undefined;
  return {
    type: 'no_visible_character',
    advice: 'must have at least one visible character: add a letter, a digit or a symbol',
  };
}

/**
 * `text` without what no name may contain, trimmed and in NFC; empty if nothing visible is left.
 */
export function asName(text: string): string {
  const clean = text.trim().normalize('NFC');
  const fault = nameFault(clean);
  if (fault === undefined) return clean;
  if (fault.type !== 'character_not_allowed') return '';
  const kept = withoutJoiners(clean).map((character) => !FORBIDDEN.test(character));
  // Again, because a joiner may have lost its neighbour.
  return asName(
    Array.from(clean)
      .filter((_, index) => kept[index])
      .join(''),
  );
}

/** The characters of a text, with an x for each that is part of the spelling of its neighbours. */
const withoutJoiners = (text: string): string[] =>
  Array.from(text.replace(JOINED, (joiners) => 'x'.repeat(Array.from(joiners).length)));

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const CHEROKEE = /\p{Script=Cherokee}/u;

/** Full case folding of a character that has no decomposition. */
function fold(character: string): string {
  if (character === '\u0131') return character; // the dotless i is a letter of its own
  if (character === '\u1e9e') return 'ss';
  const upper = character.toUpperCase();
  return CHEROKEE.test(character) ? upper : upper.toLowerCase();
}

/**
 * The same text for two names that people would take for the same: folded case, compatibility
 * forms replaced, without joiners and variation selectors, with single spaces.
 */
export function nameKey(text: string): string {
  const key = PRINTABLE_ASCII.test(text)
    ? text.toLowerCase()
    : text
        .replace(/\u200c|\u200d|\ufe0e|\ufe0f/gu, '')
        .normalize('NFKD')
        .replace(/./gsu, fold)
        .normalize('NFKC');
  return key.replace(/ +/g, ' ');
}
