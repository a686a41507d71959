import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

/**
 * A program for pods: starts an agent and serves it the gateway, which is a socket, at an address
 * of the pod's own network. {base_url} in the arguments and the environment becomes that address.
 * Its text is passed to the Node.js of the pod as it is (launch.ts), so it imports nothing of ours
 * and is plain JavaScript.
 */

// biome-ignore lint/style/noProcessEnv: the environment of the pod, which is passed on.
const env = process.env;
const [command = '', ...args] = process.argv.slice(1);
const socket = `${env.GUILDHALL_SOCKETS}/model`;

const server = createServer((client) => {
  const gateway = connect(socket);
  pipeline(client, gateway, () => client.destroy());
  pipeline(gateway, client, () => gateway.destroy());
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const filled = JSON.parse(
    JSON.stringify({ args, env }).replaceAll('{base_url}', `http://127.0.0.1:${port}`),
  );
  const agent = spawn(command, filled.args, { env: filled.env, stdio: 'inherit' });
  agent.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(127);
  });
  agent.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 137));
});
