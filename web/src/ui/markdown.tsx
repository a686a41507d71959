import { lazy, type ReactNode, Suspense } from 'react';
import { patiently } from './patiently.ts';

const Rendered = lazy(async () => {
  const [{ default: Markdown }, { default: gfm }] = await patiently(() =>
    Promise.all([import('react-markdown'), import('remark-gfm')]),
  );
  // No HTML of the author, no pictures of other servers, and links that open beside this page.
  const components = {
    a: ({ href, children }: { href?: string; children?: ReactNode }) => (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ),
    img: ({ alt }: { alt?: string }) => <em>{alt}</em>,
  };
  return {
    default: ({ text }: { text: string }) => (
      <Markdown remarkPlugins={[gfm]} components={components}>
        {text}
      </Markdown>
    ),
  };
});

/** The Markdown of a plan or a message; as it was written until the renderer has arrived. */
export function Markdown({ text }: { text: string }): ReactNode {
  return (
    <div className="prose" dir="auto">
      <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
        <Rendered text={text} />
      </Suspense>
    </div>
  );
}
