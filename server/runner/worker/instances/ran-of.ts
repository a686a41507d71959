import type { InstanceReport } from '../../../erp/index.ts';
import { hiding } from '../../../telemetry/hide-secrets.ts';
import type { CodeOfTask } from './instance-code.ts';
import type { Ran } from './rows.ts';

/** Characters of a problem that are stored. */
const MOST = 16_000;

const DATA = ['empty', 'demo', 'dump'] as const;

const UNABLE =
  'The program that runs Odoo here does not run the code of repositories: ask the operator of this ' +
  'server for one that does (docs/erp.md).';

/** What an instance runs, as its row has it: texts of Odoo without secrets and control characters. */
export function ranOf(
  { head, fault, code }: CodeOfTask,
  report: InstanceReport | undefined,
  password: string,
): Ran {
  const data = DATA.find((each) => each === report?.data);
  const offered = { ...(head !== undefined && { offered: head }), ...(data && { data }) };
  if (fault !== undefined) return { ...offered, problem: fault.slice(0, MOST) };
  if (code === undefined) return offered;
  if (report === undefined) return { ...offered, problem: UNABLE };
  const { commit, broken } = report;
  return {
    ...offered,
    ...(commit !== undefined && { commit }),
    ...(broken && { broken: broken.commit, problem: shown(broken.problem, password) }),
  };
}

const shown = (text: string, password: string): string =>
  hiding([password])(text.toWellFormed())
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed.
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
    .slice(0, MOST)
    .toWellFormed() || 'Odoo has said nothing about it.';
