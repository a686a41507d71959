/**
 * What carries out tasks writes to the event log, for as long as it holds the fence of the task, and quotes
 * to agents what people wrote.
 */

export { type EventLog, LostFence } from './events/event-log.ts';
export { firstLine, named, quoted } from './quote.ts';
export { sentMessage } from './send-message.ts';
