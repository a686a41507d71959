import pg from 'pg';

// PostgreSQL's own time-outs come first. An answer that is this much later than they allow will
// never come: the server or the network is gone and did not close the connection.
const UNRESPONSIVE_AFTER_MS = 5_000;
// `pg` takes 0 for its default, and setTimeout no more than this.
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * How long this side waits for an answer, in milliseconds; 0 stands for any time in PostgreSQL
 * alone.
 */
export const queryTimeout = (statementTimeout: number): number =>
  statementTimeout === 0 ? NO_TIMEOUT_MS : statementTimeout + UNRESPONSIVE_AFTER_MS;

/** A statement that took longer than it should: its text on one line, cut short, and no values. */
export interface SlowStatement {
  milliseconds: number;
  statement: string;
}

/** Follows the statements that are sent, without their values. */
export interface DatabaseTrace {
  /** Called as a statement begins; what it returns is called at its end. */
  statement(text: string): ((error?: unknown) => void) | undefined;
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
}

export interface ClientOptions extends pg.ClientConfig {
  /** Milliseconds; 0 reports none. */
  slowAfter?: number;
  onSlow?: ((slow: SlowStatement) => void) | undefined;
  trace?: DatabaseTrace | undefined;
}

const SHOWN = 500;

/**
 * A connection that reports slow statements. It can be closed even when the other side no longer
 * answers: after a while the socket is destroyed.
 */
export class Client extends pg.Client {
  readonly #slowAfter: number;
  readonly #onSlow: ClientOptions['onSlow'];
  readonly #trace: ClientOptions['trace'];

  constructor(options: ClientOptions = {}) {
    super(options);
    this.#slowAfter = options.slowAfter ?? 0;
    this.#onSlow = options.onSlow;
    this.#trace = options.trace;
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg overloads this method seven ways, all used here.
  override query(...sent: any[]): any {
    const traced = this.#trace?.statement(textOf(sent[0]));
    const answer = super.query(...(sent as [never])) as unknown as Promise<unknown>;
    if (traced !== undefined) answer.then(() => traced(), traced);
    if (this.#onSlow === undefined || this.#slowAfter === 0) return answer;
    const began = performance.now();
    const report = () => this.#report(performance.now() - began, sent[0]);
    answer.then(report, report);
    return answer;
  }

  #report(milliseconds: number, sent: string | { text: string }): void {
    if (milliseconds < this.#slowAfter) return;
    const text = textOf(sent).replaceAll(/\s+/g, ' ').trim();
    this.#onSlow?.({ milliseconds: Math.round(milliseconds), statement: text.slice(0, SHOWN) });
  }

  override end(done?: unknown): Promise<void> {
    const timer = setTimeout(() => this.connection.stream.destroy(), UNRESPONSIVE_AFTER_MS).unref();
    this.once('end', () => clearTimeout(timer));
    return super.end(done as never) as never;
  }
}

const textOf = (sent: string | { text: string }): string =>
  typeof sent === 'string' ? sent : sent.text;
