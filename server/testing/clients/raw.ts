import { connect } from 'node:net';

/**
 * Writes bytes (latin1) to the server at `url` and reads until it disconnects. If the server closes
 * with unread bytes, the connection is reset; what it answered before counts.
 */
export function raw(url: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write(bytes, 'latin1'),
    );
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => {}).on('close', () => resolve(answer));
  });
}
