/**
 * Work in a thread of its own, one job after the other. Texts of agents may take a parser minutes: a
 * job that takes too long ends with its thread, and the next one gets another. A job takes no time
 * while the code of its thread is on its way, which a slow network holds up.
 */

interface Job<Question, Answer> {
  question: Question;
  /** Undefined: it took too long, or the thread has failed. */
  done(answer: Answer | undefined): void;
}

interface Numbered<Content> {
  id: number;
  content: Content;
}

/** What a thread says when it has its code, in place of the number of a job. */
const LOADED = 0;

/** Asks; `done` is called once. What is returned takes back a question that was not begun with. */
type Ask<Question, Answer> = (
  question: Question,
  done: Job<Question, Answer>['done'],
) => () => void;

export function inThread<Question, Answer>(
  start: () => Worker,
  withinMs: number,
): Ask<Question, Answer> {
  const waiting: Job<Question, Answer>[] = [];
  let thread: Worker | undefined;
  let loaded = false;
  let current: { id: number; job: Job<Question, Answer> } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let count = LOADED;

  function next(): void {
    if (current !== undefined) return;
    const job = waiting.shift();
    if (job === undefined) return;
    thread ??= started();
    const id = ++count;
    current = { id, job };
    thread.postMessage({ id, content: job.question } satisfies Numbered<Question>);
    if (loaded) begin();
  }

  function begin(): void {
    timer = setTimeout(giveUp, withinMs);
  }

  function started(): Worker {
    const worker = start();
    worker.onmessage = ({ data: { id, content } }: MessageEvent<Numbered<Answer>>) => {
      if (id === current?.id) end(content);
      if (id === LOADED && worker === thread) {
        loaded = true;
        if (current !== undefined) begin();
      }
    };
    // It could not be loaded, or has used up its memory.
    worker.onerror = giveUp;
    return worker;
  }

  function giveUp(): void {
    thread?.terminate();
    thread = undefined;
    loaded = false;
    end(undefined);
  }

  function end(answer: Answer | undefined): void {
    if (current === undefined) return;
    const { job } = current;
    clearTimeout(timer);
    current = undefined;
    job.done(answer);
    next();
  }

  return (question, done) => {
    const job = { question, done };
    waiting.push(job);
    next();
    return () => {
      const place = waiting.indexOf(job);
      if (place >= 0) waiting.splice(place, 1);
    };
  };
}

/** Answers in the thread. What `answer` throws is as if there were no answer: it gives one itself. */
export function answering<Question, Answer>(answer: (question: Question) => Answer): void {
  addEventListener('message', ({ data: { id, content } }: MessageEvent<Numbered<Question>>) => {
    postMessage({ id, content: answer(content) } satisfies Numbered<Answer>);
  });
  postMessage({ id: LOADED, content: undefined } satisfies Numbered<undefined>);
}
