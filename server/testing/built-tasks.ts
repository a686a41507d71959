import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chosenBase } from '../runner/worker/chosen-base.ts';
import { openRepositories } from '../runner/worker/repository.ts';
import { temporaryFolder } from './file-stores.ts';
import type { User } from './fixtures.ts';
import type { Harness } from './harness.ts';

/** Tasks whose branches have commits, in the repositories of a harness. */
export async function builtTasks(
  { db, fixtures, repositories: directory }: Pick<Harness, 'db' | 'fixtures' | 'repositories'>,
  owner: User,
  workspace: string,
) {
  const repositories = openRepositories(directory, { chosenBase: chosenBase(db) });
  const trees = await temporaryFolder();
  return {
    repositories,
    /** A task whose branch has these files, of a new project unless given. */
    async built(
      files: Record<string, string> = { 'a.txt': 'one\n' },
      project?: string,
      task?: string,
    ) {
      const projectId = project ?? (await fixtures.project({ organizationId: workspace }));
      const taskId = task ?? (await fixtures.task(projectId, owner));
      const workTree = join(trees, taskId);
      await mkdir(workTree);
      const place = { projectId, taskId, workTree };
      await repositories.checkOut(place);
      const write = (name: string, content: string) => writeFile(join(workTree, name), content);
      for (const [name, content] of Object.entries(files)) await write(name, content);
      const commit = async () => (await repositories.commit(place, 'Work'))?.id as string;
      return { projectId, taskId, head: await commit(), write, commit };
    },
    /** Runs git in the repository of a project. */
    gitIn: (projectId: string, ...args: string[]) =>
      execFileSync('git', ['-C', join(directory, projectId, 'main.git'), ...args], {
        encoding: 'utf8',
      }).trim(),
  };
}
