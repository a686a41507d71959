import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCALHOST } from '../fakes/mail-server/certificates.ts';
import { until } from '../harness/until.ts';
import { freePort } from './programs.ts';

/** Why Exim cannot be started here; false if it can. Without its user it fails, but is there. */
export function withoutExim(): string | false {
  const missing = ['exim4', 'bwrap'].filter(
    (program) =>
      (spawnSync(program, ['--version']).error as NodeJS.ErrnoException | undefined)?.code ===
      'ENOENT',
  );
  return missing.length > 0 && `${missing.join(' and ')} must be installed`;
}

/** Its user, whose name Debian has compiled in, need not be on this machine: it is within bubblewrap. */
const USER = process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 65_534);
const GROUP = process.getuid?.() === 0 ? 65_534 : (process.getgid?.() ?? 65_534);

export const LOGIN = { user: 'guildhall', password: 'open sesame' };
/** Seconds for which it thinks about a message to `slow@…` after it has it. */
export const SLOW = 3;

/**
 * Exim, a mail server that others have written, on a free port of 127.0.0.1, until `close`. It wants TLS
 * and a login, knows no `nobody@…`, asks to come again for `grey@…` until `letThrough`, and delivers
 * nothing: what it has accepted stays in its queue.
 */
export async function startExim() {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-exim-'));
  await chmod(folder, 0o777);
  const port = await freePort();
  const at = (name: string) => join(folder, name);
  await writeFile(at('cert.pem'), LOCALHOST.cert);
  await writeFile(at('key.pem'), LOCALHOST.key);
  for (const [file, line] of [
    ['passwd', `Debian-exim:x:${USER}:${GROUP}::/:/bin/false\n`],
    ['group', `Debian-exim:x:${GROUP}:\n`],
  ] as const)
    await writeFile(at(file), (await readFile(`/etc/${file}`, 'utf8')) + line);
  await mkdir(at('spool'), { mode: 0o777 });
  await chmod(at('spool'), 0o777);
  await writeFile(at('exim.conf'), configuration(folder, port));
  const within = [
    `--ro-bind / / --dev /dev --bind ${folder} ${folder}`,
    `--ro-bind ${at('passwd')} /etc/passwd --ro-bind ${at('group')} /etc/group`,
    `--unshare-pid --die-with-parent exim4 -C ${at('exim.conf')} -bdf`,
  ].join(' ');
  const child = spawn('bwrap', within.split(' '), { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const log = () => readFile(at('spool/mainlog'), 'utf8').catch(() => '');
  await until('Exim listens', async () => {
    if (child.exitCode !== null) throw new Error(`Exim has ended: ${said}`);
    return (await log()).includes('listening for SMTP');
  });
  return {
    port,
    log,
    letThrough: () => writeFile(at('known'), ''),
    /** What it has accepted: the envelope and the headers as it keeps them. */
    async accepted(): Promise<string[]> {
      const input = at('spool/input');
      const names = await readdir(input).catch(() => []);
      return Promise.all(
        names
          .filter((name) => name.endsWith('-H'))
          .map((name) => readFile(join(input, name), 'utf8')),
      );
    },
    async close(): Promise<void> {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const configuration = (folder: string, port: number) => `
primary_hostname = localhost
spool_directory = ${folder}/spool
log_file_path = ${folder}/spool/%slog
pid_file_path = ${folder}/spool/pid
queue_only = true
daemon_smtp_ports = ${port}
local_interfaces = 127.0.0.1
tls_advertise_hosts = *
tls_certificate = ${folder}/cert.pem
tls_privatekey = ${folder}/key.pem
auth_advertise_hosts = \${if eq{$tls_in_cipher}{}{}{*}}
acl_smtp_rcpt = rcpt
acl_smtp_data = data
keep_environment =
begin acl
rcpt:
  deny message = 5.7.1 Log in first
       !authenticated = *
  deny message = 5.1.1 No such user
       local_parts = nobody
  defer message = 4.7.1 Greylisted, come again
       local_parts = grey
       condition = \${if exists{${folder}/known}{no}{yes}}
  warn local_parts = slow
       set acl_m_slow = yes
  accept
data:
  accept condition = \${if def:acl_m_slow}
       delay = ${SLOW}s
  accept
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{${LOGIN.user}}}{eq{$auth3}{${LOGIN.password}}}}}
  server_set_id = $auth2
`;
