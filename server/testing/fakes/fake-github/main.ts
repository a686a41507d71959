import { parseArgs } from 'node:util';
import { numberOf, orUsage, UsageError, urlOf } from '../../processes/arguments.ts';
import { cannotListen } from '../listener.ts';
import { startFakeGithub } from './server.ts';

// By hand: `npm run fake-github -- --port 12112 --webhook http://127.0.0.1:8080/webhooks/github`.
const HELP = `Usage: npm run fake-github -- [options]

Starts a fake GitHub on 127.0.0.1, with an App that is installed on one account, and a
repository. Prints the settings with which a server of Guildhall uses it.

Options:
  --port <number>      port to listen on; 0 picks a free one (default 12112)
  --webhook <url>      where to send events (default http://127.0.0.1:8080/webhooks/github)
  --repository <name>  owner and name of the first repository (default acme/shop)
  --help               this text
`;

const { port, webhookUrl, repository } = orUsage(HELP, () => {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '12112' },
      webhook: { type: 'string', default: 'http://127.0.0.1:8080/webhooks/github' },
      repository: { type: 'string', default: 'acme/shop' },
    },
  });
  if (!/^[\w.-]+\/[\w.-]+$/.test(values.repository))
    throw new UsageError(
      `--repository must be a name such as acme/shop, not "${values.repository}"`,
    );
  return {
    port: numberOf('--port', values.port, { from: 0, to: 65535 }),
    webhookUrl: urlOf('--webhook', values.webhook),
    repository: values.repository,
  };
});

const fake = await startFakeGithub({ port, webhookUrl }).catch(cannotListen(port));
await fake.addRepository(repository);
const { id, account } = fake.install(repository.split('/')[0] ?? '');
fake.automatic({});
const { url } = fake;
const { clientId, clientSecret } = fake.state.people;
const server = new URL(webhookUrl).origin;
fake.setUp({ setupUrl: `${server}/auth/github/callback` });
fake.signIn('octocat', { name: 'Mona', organizations: [account.login] });
process.stdout.write(`The fake GitHub is running at ${url}. It forgets everything when it ends.
The App is installed on ${account.login} as installation ${id}, which has the repository ${repository}.

To point Guildhall at it:
  export GITHUB_API_URL=${url} GITHUB_APP_ID=${fake.appId} GITHUB_WEBHOOK_SECRET=${fake.webhookSecret}
  export GITHUB_OAUTH_CLIENT_ID=${clientId} GITHUB_OAUTH_CLIENT_SECRET=${clientSecret}
  export GITHUB_APP_PRIVATE_KEY='${fake.privateKey.trim().replaceAll('\n', '\\n')}'

Events are sent to ${webhookUrl} (--webhook URL). Whoever signs in with it is octocat, who owns
${account.login}; to be another person: curl ${url}/_control/sign-in -d '{"login":"ada"}'
To act as people and continuous integration do at GitHub, or to cause a fault:
  curl ${url}/_control/commit -d '{"repository":"${repository}","branch":"main","files":{"a.txt":"one"}}'
  curl ${url}/_control/check -d '{"repository":"${repository}","branch":"main","name":"tests","conclusion":"failure","log":"1 failed"}'
  curl ${url}/_control/merge-pull -d '{"repository":"${repository}","number":1}'
  curl ${url}/_control/fault -d '{"match":"PUT /repos/:owner/:repo/pulls/:number/merge","kind":"dropAfter"}'
  curl ${url}/_control/repositories
All commands: curl ${url}/_control/help
`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void fake.close());
