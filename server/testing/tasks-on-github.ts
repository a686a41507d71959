import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { openGitHub } from '../code/github/app.ts';
import { lookAtDuePulls } from '../code/github/look-at-due-pulls.ts';
import { remoteOf } from '../code/github/remote-of.ts';
import { openMerging } from '../code/repositories/merging.ts';
import { sql } from '../db/sql.ts';
import { carryOutMerges } from '../runner/worker/carry-out-merges.ts';
import { chosenBase } from '../runner/worker/chosen-base.ts';
import { openRepositories } from '../runner/worker/repository.ts';
import type { FakeGithub } from './fakes/fake-github/fake.ts';
import { temporaryFolder } from './file-stores.ts';
import type { User } from './fixtures.ts';
import { appOf, connectInstallation } from './github.ts';
import type { Harness } from './harness.ts';

const log = pino({ level: 'silent' });

/** Tasks of a project whose code is on the fake GitHub, in a repository `acme/shop`. */
export async function tasksOnGitHub(
  { db, fixtures, repositories: directory }: Harness,
  fake: FakeGithub,
  owner: User,
) {
  const workspace = await fixtures.workspace(owner);
  const shop = await fake.addRepository(`acme/shop-${workspace.slice(0, 8)}`, {
    defaultBranch: '18.0',
    files: { 'a.txt': 'one\ntwo\nthree\n' },
  });
  const acme = fake.install('acme', { repositories: [shop] });
  await connectInstallation(db, acme, { organizationId: workspace });
  const github = openGitHub(appOf(fake), { deadline: 2_000 });
  const repositories = openRepositories(directory, {
    remoteOf: remoteOf(db, github),
    chosenBase: chosenBase(db),
  });
  const trees = await temporaryFolder();

  async function project(): Promise<string> {
    const id = await fixtures.project({ organizationId: workspace });
    await db.many(sql`
      insert into repository (project_id, host, full_name, default_branch, host_repository_id,
                              installation_id)
      values (${id}, 'github', ${`acme/${shop.name}`}, '18.0', ${shop.id}, ${acme.id})`);
    await db.many(sql`
      insert into merge_target (project_id, branch, stage)
      values (${id}, '18.0', 'production'), (${id}, 'staging', 'staging')`);
    return id;
  }

  return {
    github,
    project,
    shop,
    acme,
    workspace,
    /** A task that was built: its branch has these files, or one of its own, and was pushed. */
    async built(files?: Record<string, string>, begun?: { projectId: string; taskId: string }) {
      const projectId = begun?.projectId ?? (await project());
      const taskId = begun?.taskId ?? (await fixtures.task(projectId, owner));
      const place = { projectId, taskId, workTree: join(trees, taskId) };
      await mkdir(place.workTree);
      await repositories.checkOut(place);
      for (const [name, text] of Object.entries(files ?? { [`${taskId}.txt`]: 'new\n' }))
        await writeFile(join(place.workTree, name), text);
      const head = (await repositories.commit(place, 'Work'))?.id as string;
      return { projectId, taskId, head, place };
    },
    repositories,
    /** What a worker does now and then. */
    look: () => lookAtDuePulls(db, github, log),
    /** The next look finds it due, as after a webhook. */
    due: (taskId: string) =>
      db.many(sql`update pull_request set looked_at = null where task_id = ${taskId}`),
    carryOut: () => carryOutMerges(db, { merging: openMerging(directory), github, log }),
    /** A worker that died is followed by another one now. */
    forget: (taskId: string) =>
      db.many(sql`update merge set not_before = now() where task_id = ${taskId}`),
  };
}
