import { answering } from '../thread.ts';
import type { Asked } from './parsing.ts';
import { type Part, treeOf } from './tree.ts';

answering(({ text, withLines }: Asked): Part[] | 'too much' => {
  try {
    return treeOf(text, withLines);
  } catch {
    // The parser itself fails where texts are nested too deeply.
    return 'too much';
  }
});
