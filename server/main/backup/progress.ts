/** What a backup or a restore does now. */
export interface Step {
  /** Such as `database`. */
  what: string;
  /** Such as the name of a table. */
  which?: string;
  done?: number;
  of?: number;
  /** Of the archive so far. */
  bytes?: number;
}

/** Called before each step; what it throws ends the whole. */
export type OnStep = (step: Step) => void;
