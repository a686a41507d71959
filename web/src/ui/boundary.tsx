import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icons.tsx';
import { LongText } from './long-text.tsx';

interface Bounded {
  /** What is within, as the beginning of a sentence: `This message`. */
  what: string;
  /** What it is made from, where that can be read; of any type where an answer is not as it should be. */
  source?: string | undefined;
  children: ReactNode;
}

/** A part of a page that fails alone: what is around it stays usable. */
export class Boundary extends Component<Bounded, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  /** For who looks for the cause: the page itself does not say it. */
  override componentDidCatch(error: unknown): void {
    console.error(error);
  }

  override componentDidUpdate({ source }: Bounded): void {
    if (this.state.failed && source !== this.props.source) this.setState({ failed: false });
  }

  override render(): ReactNode {
    const { what, source, children } = this.props;
    if (!this.state.failed) return children;
    return (
      <div
        role="alert"
        className="flex flex-col items-start gap-2 rounded-box border border-line bg-wrong-tint p-3 text-wrong"
      >
        <p className="flex items-start gap-2">
          <span className="pt-0.5">
            <Icon name="warning" />
          </span>
          {what} cannot be shown. The rest of the page works.
        </p>
        {source !== undefined && (
          <details className="max-w-full">
            <summary>Show its source</summary>
            <LongText text={String(source)} />
          </details>
        )}
        <Button onClick={() => this.setState({ failed: false })}>Try again</Button>
      </div>
    );
  }
}
