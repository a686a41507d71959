import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

/**
 * A program for pods: starts an agent, or another command, and serves it gateways, which are sockets,
 * each at an address of the pod's own network. Its first argument says which placeholder in the
 * arguments and the environment becomes the address of which socket: `{"{base_url}":"model"}`. One
 * with `_host}` or `_port}` in place of `_url}` becomes that part of it, and `{java_home_option}` what tells
 * Java where the home folder is. Its text is passed to the
 * Node.js of the pod as it is (launch.ts), so it imports nothing of ours and is plain JavaScript.
 */

// biome-ignore lint/style/noProcessEnv: the environment of the pod, which is passed on.
const env = process.env;
const [sockets = '{}', command = '', ...args] = process.argv.slice(1);

// Java asks the list of users, which has none of the pod; and scripts split this at spaces.
const { HOME = '' } = env;
const javaHomeOption = /^\/[\w./-]+$/.test(HOME) ? `-Duser.home=${HOME}` : '';

const NODE = /^#! ?\/usr\/bin\/env (?:-S )?node\b(.*)/;

/**
 * A script for `node` runs on the Node.js that runs this: the first one in PATH is that of the
 * project, which the agent need not work on.
 */
const programOf = () => {
  const folders = command.includes('/')
    ? ['']
    : (env.PATH ?? '').split(':').map((one) => `${one}/`);
  const file = folders.map((folder) => folder + command).find((path) => existsSync(path));
  if (command === 'node' || file === undefined)
    return [command === 'node' ? process.execPath : command];
  const beginning = Buffer.alloc(200);
  readSync(openSync(file, 'r'), beginning);
  const script = NODE.exec(beginning.toString('latin1').split('\n')[0] ?? '');
  if (script === null) return [command];
  return [process.execPath, ...(script[1] ?? '').split(' ').filter((flag) => flag !== ''), file];
};

const listening = Object.entries(JSON.parse(sockets)).map(async ([placeholder, name]) => {
  const server = createServer((client) => {
    const gateway = connect(`${env.GUILDHALL_SOCKETS}/${name}`);
    pipeline(client, gateway, () => client.destroy());
    pipeline(gateway, client, () => gateway.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return { placeholder, port };
});

Promise.all(listening).then((addresses) => {
  const text = addresses.reduce(
    (all, { placeholder, port }) =>
      all
        .replaceAll(placeholder, `http://127.0.0.1:${port}`)
        .replaceAll(placeholder.replace('_url}', '_host}'), `127.0.0.1:${port}`)
        .replaceAll(placeholder.replace('_url}', '_port}'), `${port}`),
    JSON.stringify({ args, env }).replaceAll('{java_home_option}', javaHomeOption),
  );
  const filled = JSON.parse(text);
  const [program = command, ...before] = programOf();
  const all = [...before, ...filled.args];
  const agent = spawn(program, all, { env: filled.env, stdio: 'inherit' });
  agent.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(127);
  });
  agent.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 137));
});
