import guide from '../../../../docs/guide.md?raw';

/** A part of the guide, under its heading. */
interface Topic {
  /** In the address: `merge-targets`. */
  slug: string;
  name: string;
  text: string;
}

/** The parts of `docs/guide.md`; what stands before the first one is for readers of the file. */
export const TOPICS: readonly Topic[] = guide
  .split(/^## /m)
  .slice(1)
  .map((part) => {
    const end = part.indexOf('\n');
    const name = part.slice(0, end);
    return { name, slug: name.toLowerCase().replaceAll(' ', '-'), text: part.slice(end).trim() };
  });
