/** What every measurement is given. */
export interface Setting {
  /** Of a PostgreSQL server, by who may create databases. */
  adminUrl: string;
  /** Data that is kept for the next run. */
  directory: string;
  /** That are measured, one variant after the other in each. */
  rounds: number;
  seconds: number;
  quick: boolean;
  /** Which operations are compared. */
  only: readonly string[];
  peers: boolean;
  /** Which repositories turns are measured on, and how many turns at once. */
  shapes: readonly string[];
  atOnce: readonly number[];
  /** How many tasks each day of the month has. */
  perDay: number;
  /** A file that the figures go to, too. */
  json: string | undefined;
  /** Shows how far it is. */
  say: (line: string) => void;
}
