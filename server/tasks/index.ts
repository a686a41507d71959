/**
 * What carries out tasks writes to the event log, for as long as it holds the fence of the task.
 */

export { type EventLog, LostFence } from './events/event-log.ts';
