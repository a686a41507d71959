import { join } from 'node:path';
import { checkDatabase } from './database.ts';
import { checkMail, checkProviders } from './elsewhere.ts';
import { type Finding, failure, reasonOf } from './finding.ts';
import {
  checkFolder,
  checkGit,
  checkNode,
  checkPort,
  checkSandbox,
  checkTemporary,
} from './machine.ts';
import { checkSettings } from './settings.ts';

interface DoctorOptions {
  /** Whether Stripe, GitHub and the providers of models are asked, too. */
  online: boolean;
}

/**
 * Looks at everything that a server needs, with the settings of this environment. Nothing is changed,
 * and nothing is left behind. A check that fails by itself is a failure, too.
 */
export async function doctor(
  env: Record<string, string | undefined>,
  { online }: DoctorOptions,
): Promise<Finding[]> {
  const { config, found } = checkSettings(env);
  const machine = [checkNode(), await checkGit()];
  if (config === undefined) return [...machine, ...found];
  const checks: [string, Promise<Finding | Finding[]>][] = [
    ['DATA_DIR', checkFolder('DATA_DIR', config.dataDir)],
    ['repositories', checkFolder('repositories', config.repositories)],
    ...(config.files.s3 === undefined
      ? [['files', checkFolder('files', join(config.files.folder))] as [string, Promise<Finding>]]
      : []),
    ...(config.pods.driver === 'process'
      ? [['pods', checkFolder('pods', config.pods.folder)] as [string, Promise<Finding>]]
      : []),
    ['TMPDIR', checkTemporary()],
    ['sandbox', checkSandbox(config)],
    ['port', checkPort(config)],
    ['database', checkDatabase(config)],
    ['mail', checkMail(config)],
    ...(online ? [['providers', checkProviders(config)] as [string, Promise<Finding[]>]] : []),
  ];
  const results = await Promise.all(
    checks.map(([name, check]) => check.catch((error) => failure(name, reasonOf(error)))),
  );
  return [...machine, ...found, ...results.flat()];
}
