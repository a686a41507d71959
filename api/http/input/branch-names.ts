import Type from 'typebox';

/**
 * Names of branches: the rules of `git check-ref-format`, within 200 bytes, and never like an
 * option of a command. The database function `is_branch_name` has the same rules; a property test
 * compares them.
 */
export const BRANCH_NAME =
  String.raw`^(?![./-]|@$)(?![\s\S]*(?:\.\.|//|@\{|/\.|\.lock(?:/|$)|[./]$))` +
  String.raw`[^\u0000-\u0020\u007f~^:?*\[\\]+$`;

export const LONGEST_BRANCH_NAME = 200;

const PATTERN = new RegExp(BRANCH_NAME, 'u');

/** Whether a text, which is well-formed Unicode, can name a branch. */
export const isBranchName = (text: string): boolean =>
  PATTERN.test(text) && Buffer.byteLength(text) <= LONGEST_BRANCH_NAME;

/** The name of a branch, which the handler gets as it was sent. */
export function branchName(options: Type.TSchemaOptions = {}): Type.TString {
  return Type.String({
    minLength: 1,
    maxLength: LONGEST_BRANCH_NAME,
    ...options,
    pattern: BRANCH_NAME,
  });
}
