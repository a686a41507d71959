import { backup } from '../../main/backup/backup.ts';
import type { Step } from '../../main/backup/progress.ts';
import { restore } from '../../main/backup/restore.ts';
import { readConfig } from '../../platform/config/config.ts';

// A backup or a restore that kills itself before the first step of a kind, or prints all kinds.

const [command = '', file = '', dieBefore = ''] = process.argv.slice(2);
const kinds = new Set<string>();
const onStep = ({ what, which }: Step) => {
  const kind = what === 'write' ? `${what} ${which}` : what;
  kinds.add(kind);
  if (kind === dieBefore) process.kill(process.pid, 'SIGKILL');
};
const config = readConfig(process.env);
if (command === 'backup')
  await backup(config, {
    file,
    overwrite: true,
    includeSecret: false,
    allowMissing: false,
    onStep,
  });
else await restore(config, { file, acceptOtherSecret: false, onStep });
process.stdout.write(JSON.stringify([...kinds]));
