import { MOST_REPOSITORIES } from '../../server/projects/repository.ts';
import { type Item, itemsOf, type Report, unique } from './items.ts';

/** The repository that every project has, in which its tasks work (decision 41). */
const MAIN = { full_name: 'main', default_branch: 'main' };

type Repository = { full_name: string; default_branch: string };

/** Those of a project, in their order: `main` is the first unless the file lists it elsewhere. */
export const withMain = (listed: readonly Repository[]): readonly Repository[] =>
  listed.some(isMain) ? listed : [MAIN, ...listed];

const isMain = ({ full_name }: { [field: string]: unknown }): boolean =>
  full_name === MAIN.full_name;

export function checkRepositories(report: Report, project: Item): void {
  const listed = itemsOf(project, project.pointer, 'repositories');
  unique(report, listed, 'full_name', 'a repository of this project');
  // The check of the structure reports longer lists.
  if (listed.length === MOST_REPOSITORIES && !listed.some(isMain))
    report(
      `${project.pointer}/repositories`,
      `must have at most ${MOST_REPOSITORIES - 1} entries beside "main", which every project has`,
    );
  for (const { pointer, default_branch = 'main' } of listed.filter(isMain))
    if (default_branch !== MAIN.default_branch)
      report(
        `${pointer}/default_branch`,
        'must be "main" or left out: tasks work in this repository, on top of that branch',
      );
}
