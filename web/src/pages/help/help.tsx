import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Page } from '../../ui/page.tsx';
import { TOPICS } from './topics.ts';

/** The guide, a topic at a time. */
export function HelpPage(): ReactNode {
  const { topic } = useParams({ strict: false });
  const shown = TOPICS.find(({ slug }) => slug === topic) ?? TOPICS[0];
  if (shown === undefined) return null;
  return (
    <Page title={shown.name} lead="Help">
      <div className="flex flex-col gap-5 md:flex-row-reverse md:items-start">
        <nav aria-label="Topics of the help" className="shrink-0 md:sticky md:top-4 md:w-48">
          <ul className="flex flex-wrap gap-1 md:flex-col">
            {TOPICS.map(({ slug, name }) => (
              <li key={slug}>
                <Link
                  to="/help/{-$topic}"
                  params={{ topic: slug }}
                  aria-current={slug === shown.slug ? 'page' : undefined}
                  className={`block rounded-box px-2 py-1 hover:bg-raised ${slug === shown.slug ? 'bg-tint font-medium' : 'text-muted'}`}
                >
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <article className="min-w-0 flex-1">
          <Markdown key={shown.slug} text={shown.text} />
        </article>
      </div>
    </Page>
  );
}
