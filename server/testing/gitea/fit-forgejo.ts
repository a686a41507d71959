import { glob, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Forgejo uses forks of some libraries that the public proxy of Go modules does not have. What they
 * were forked from stands in here, and what needs more than that is left out: moving whole forges
 * (F3), sessions in memcached, and SSH. Its API, its webhooks and Git over HTTP are Forgejo's own.
 */

/** Import paths, and what takes their place. */
const LIBRARIES = [
  ['code.forgejo.org/go-chi/captcha', 'github.com/dchest/captcha', 'v1.0.0'],
  [
    'code.forgejo.org/go-chi/binding',
    'gitea.com/go-chi/binding',
    'v0.0.0-20240430071103-39a851e106ed',
  ],
  ['code.forgejo.org/go-chi/cache', 'gitea.com/go-chi/cache', 'v0.2.1'],
  [
    'code.forgejo.org/go-chi/session',
    'gitea.com/go-chi/session',
    'v0.0.0-20240316035857-16768d98ec96',
  ],
  [
    'code.forgejo.org/forgejo/reply',
    'github.com/dimiro1/reply',
    'v0.0.0-20200315094148-d0136a4c9e21',
  ],
  [
    'code.forgejo.org/forgejo-contrib/go-libravatar',
    'strk.kbt.io/projects/go/libravatar',
    'v0.0.0-20191008002943-06d1c002b251',
  ],
] as const;

const LEFT_OUT = ['services/f3', 'cmd/forgejo/f3.go', 'tests'];
const LINES_LEFT_OUT = /^.*(?:forgejo\.CmdF3|\bCmdF3\(ctx\)|go-chi\/cache\/memcache).*\n/gm;

/** `editModule`: `go mod edit` there. */
export async function fitForgejo(
  source: string,
  editModule: (...args: string[]) => Promise<unknown>,
): Promise<void> {
  for (const path of LEFT_OUT) await rm(join(source, path), { recursive: true });
  for await (const path of glob('**/*.go', { cwd: source })) {
    const file = join(source, path);
    const text = await readFile(file, 'utf8');
    let fitted = text
      .replaceAll(LINES_LEFT_OUT, '')
      .replaceAll('session.ConnPermissions()', 'session.Permissions()');
    for (const [fork, library] of LIBRARIES) fitted = fitted.replaceAll(fork, library);
    if (fitted !== text) await writeFile(file, fitted);
  }
  await editModule(
    '-droprequire=code.forgejo.org/f3/gof3/v3',
    '-dropreplace=github.com/mholt/archiver/v3',
    '-dropreplace=github.com/gliderlabs/ssh',
    '-replace=github.com/nektos/act=gitea.com/gitea/act@v0.261.3',
    ...LIBRARIES.flatMap(([fork, library, version]) => [
      `-droprequire=${fork}`,
      `-require=${library}@${version}`,
    ]),
  );
}
