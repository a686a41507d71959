/** A repository that a project has attached, and the address that submodules may name it by. */
export interface AttachedRepository {
  id: string;
  host: 'local' | 'github' | 'gitea';
  fullName: string;
  url: string;
}

const LONGEST = 2_000;

/** Of several forms of one address, one: `git@host:a/b`, `ssh://git@host/a/b.git`, `https://host/a/b`. */
function normal(address: string): string | undefined {
  if (address.length > LONGEST || /[\s\\]|^-/.test(address)) return undefined;
  const scp = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)\/?(.+)$/.exec(address);
  const text = scp === null ? address : `ssh://${scp[1]}/${scp[2]}`;
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, host, pathname, search, hash } = new URL(text);
  if (search !== '' || hash !== '') return undefined;
  // Of ssh, the port is that of another server.
  const place = protocol === 'ssh:' ? hostname : host;
  if (!['http:', 'https:', 'ssh:'].includes(protocol)) return undefined;
  return `${place}${pathname.replace(/\/+$/, '').replace(/\.git$/, '')}`.toLowerCase();
}

/** A relative address is beside that of the repository whose submodule it is, as Git has it. */
export function absolute(address: string, of: string): string | undefined {
  if (!/^\.\.?(?:\/|$)/.test(address)) return address;
  if (!URL.canParse(of)) return undefined;
  const { origin, pathname } = new URL(of);
  const path = pathname.split('/').filter(Boolean);
  for (const step of address.split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') path.push(step);
    // Above the host is nothing.
    else if (path.pop() === undefined) return undefined;
  }
  return `${origin}/${path.join('/')}`;
}

/** The one of them that an address names; the forms of one address are the same. */
export function attachedAt<Repository extends Pick<AttachedRepository, 'url'>>(
  address: string | undefined,
  attached: readonly Repository[],
): Repository | undefined {
  const wanted = address === undefined ? undefined : normal(address);
  return wanted === undefined ? undefined : attached.find(({ url }) => normal(url) === wanted);
}
