import { createServer } from 'node:http';
import { toNodeHandler } from 'better-auth/node';
import { auth, pool } from './auth.js';

const server = createServer(toNodeHandler(auth));

server.listen(Number(process.env.PORT ?? 3000), process.env.HOST ?? '127.0.0.1', () =>
  console.log('ready'),
);

process.once('SIGTERM', () => server.close(() => pool.end()));
