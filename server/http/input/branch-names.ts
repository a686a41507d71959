import Type from 'typebox';
import { nameFault } from './names.ts';

/**
 * Names of branches: those that `git check-ref-format --branch` takes, within 200 bytes, that do not
 * look like a full reference (`refs/heads/main`), and that people can tell apart by eye, as names
 * (ruling 1.16). They are not brought into NFC, because git compares bytes. The database function
 * `is_chosen_branch` has the same rules; property tests compare both with git.
 *
 * The pattern covers a part of the rule: `nameFault` checks the rest.
 */
export const BRANCH_NAME =
  String.raw`^(?![./\s-]|@$|HEAD$|refs/)(?![\s\S]*(?:\.\.|//|@\{|/\.|\.lock(?:/|$)|[./\s]$))` +
  String.raw`[^\u0000-\u0020\u007f~^:?*\[\\]+$`;

export const LONGEST_BRANCH_NAME = 200;

const PATTERN = new RegExp(BRANCH_NAME, 'u');

/** Whether a text, which is well-formed Unicode, can name a branch. */
export const isBranchName = (text: string): boolean =>
  PATTERN.test(text) &&
  Buffer.byteLength(text) <= LONGEST_BRANCH_NAME &&
  nameFault(text) === undefined;

/** The name of a branch, which the handler gets as it was sent. */
export function branchName(options: Type.TSchemaOptions = {}): Type.TString {
  return Type.String({
    minLength: 1,
    maxLength: LONGEST_BRANCH_NAME,
    ...options,
    pattern: BRANCH_NAME,
  });
}
