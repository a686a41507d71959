import { afterEach } from 'node:test';
import pino from 'pino';
import { gitDirOf } from '../code/repositories/git.ts';
import { bindFolder, checkRepositories } from '../code/repositories/repository-folder.ts';
import { sql } from '../db/sql.ts';
import { openSealing } from '../platform/sealing/sealing.ts';
import type { ImportBounds } from '../runner/worker/imports/fetch-source.ts';
import { importer } from '../runner/worker/imports/importer.ts';
import type { Harness } from './harness.ts';
import { SERVER_SECRET } from './odoo-connections.ts';
import { until } from './until.ts';

/** Imports into repositories of new projects, and workers that carry them out. */
export async function importsOn(harness: Harness) {
  const { db, fixtures, request, repositories: directory } = harness;
  await checkRepositories(directory);
  await bindFolder(db, directory);
  const workers: ReturnType<typeof importer>[] = [];
  const stop = async () => {
    await Promise.all(workers.splice(0).map((each) => each.close()));
  };
  afterEach(async () => {
    await stop();
    await db.many(sql`delete from repository_import where state in ('queued', 'running')`);
  });
  return {
    stop,
    /** A project with an admin, and the path of its repository. */
    async project() {
      const owner = await fixtures.user();
      const id = await fixtures.project({ userId: owner.id });
      const { id: repositoryId } = await db.one<{ id: string }>(
        sql`select id from repository where project_id = ${id}`,
      );
      const path = `/api/projects/${id}/repositories/${repositoryId}/import`;
      return {
        id,
        owner,
        path,
        repositoryId,
        gitDir: gitDirOf(directory, id),
        ask: (body: object) => request('POST', path, { key: owner.key, body }),
        read: async () => (await request('GET', path, { key: owner.key })).body,
        cancel: () => request('DELETE', path, { key: owner.key }),
      };
    },
    worker(bounds: Partial<ImportBounds> = {}, lease = 30_000) {
      const worker = importer(db, {
        directory,
        sealing: openSealing({ current: SERVER_SECRET }, 'imports'),
        bounds: {
          allowedNetworks: ['127.0.0.1'],
          allowHttp: true,
          maxBytes: 50 * 1024 * 1024,
          dnsServers: ['127.0.0.1:9'],
          ...bounds,
        },
        log: pino({ level: process.env.IMPORT_LOG ?? 'silent' }),
        times: { poll: 25, renew: 50, again: 10, lease },
      });
      workers.push(worker);
      worker.start();
      return worker;
    },
    /** What has become of the last import of a project. */
    async ended({ read }: { read: () => Promise<{ import: { state: string } }> }) {
      let last: Record<string, unknown> = {};
      await until(
        'the import has ended',
        async () => {
          last = (await read()).import;
          return last.state === 'done' || last.state === 'failed';
        },
        60_000,
      );
      return last;
    },
  };
}
