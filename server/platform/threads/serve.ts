import { type MessagePort, parentPort, type Transferable } from 'node:worker_threads';

/** Answers what `openThread` sends, in the thread. An error ends it. */
export function serve<Work, Result>(
  answer: (work: Work) => Result | Promise<Result>,
  moved: (result: Result) => Transferable[] = () => [],
): void {
  const port = parentPort as MessagePort;
  port.on('message', async (work: Work) => {
    const result = await answer(work);
    port.postMessage(result, moved(result));
  });
  port.postMessage('loaded');
}
