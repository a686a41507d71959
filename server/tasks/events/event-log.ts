/** An event to append. */
export interface NewEvent {
  /** What happened, such as `tool_call`: 1 to 50 characters. */
  type: string;
  /** Anything that JSON can hold; its text takes at most 256 KB. */
  payload: unknown;
  turnId?: string | undefined;
}

/** An event of a task as it is stored. `payload` is JSON text. */
export interface TaskEvent {
  /** Counts the events of its task from 1, without a gap. */
  seq: number;
  type: string;
  payload: string;
  turnId: string | null;
  createdAt: Date;
}

/** The largest payload, in bytes of its JSON text. */
export const LARGEST_PAYLOAD = 256 * 1024;

/**
 * Another worker has taken the task over: whoever gets this writes nothing more for it, and ends
 * the agent.
 */
export class LostFence extends Error {
  readonly taskId: string;

  constructor(taskId: string) {
    super(`Another worker writes the events of task ${taskId} now.`);
    this.taskId = taskId;
  }
}

/**
 * The events of tasks, in one or several databases of their own or in that of the core. They are
 * never written in a transaction with the core.
 */
export interface EventLog {
  /**
   * Makes `owner` the only one that may append: everyone with a lower fence is refused from now on.
   * `fence` is `task.fence` as it was raised by the claim. Returns the newest event's number, or
   * undefined when a later fence is there already, or another owner has this one. Repeating it is
   * harmless.
   */
  acquire(taskId: string, fence: bigint, owner: string): Promise<{ lastSeq: number } | undefined>;
  /**
   * Appends events, in this order and without another between them, within one tick of the process
   * (25 ms), and returns the number of the last. A payload that is too large is replaced by
   * `{"omitted": "too_large", "bytes": …}`. Rejects with LostFence after a take-over; with a
   * TypeError for events that are not valid, of which none is stored; with the database's error
   * when it could not be reached for 10 s.
   */
  append(taskId: string, fence: bigint, events: readonly NewEvent[]): Promise<number>;
  /** The events after this number, oldest first, at most `limit`. */
  read(taskId: string, after: number, limit: number): Promise<TaskEvent[]>;
  /** The oldest event that is kept, and the newest; `last` is 0 before the first one. */
  head(taskId: string): Promise<{ first: number; last: number }>;
  /** Appends what waits, then closes the connections. */
  close(): Promise<void>;
}
