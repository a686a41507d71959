import { type Part, treeOf } from './tree.ts';

/** What the thread is asked and answers; `parts` is missing where a text is more than is drawn. */
export interface Asked {
  id: number;
  text: string;
}
export interface Answered {
  id: number;
  parts?: Part[];
}

addEventListener('message', ({ data: { id, text } }: MessageEvent<Asked>) => {
  let answer: Answered = { id };
  try {
    answer = { id, parts: treeOf(text) };
  } catch {
    // It is too much, also for the parser, which fails where texts are nested too deeply.
  }
  postMessage(answer);
});
