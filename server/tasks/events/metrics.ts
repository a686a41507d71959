import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { EventObserver } from './appender.ts';
import type { OpenedEventLog } from './open-event-log.ts';

/** Adds the metrics of the events of tasks to a registry. */
export function measureEvents(registry: Registry): EventObserver {
  const registers = [registry];
  const append = new Histogram({
    name: 'guildhall_event_append_duration_seconds',
    help: 'From the call that appends events of a task until they are stored',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const batch = new Histogram({
    name: 'guildhall_event_append_batch_events',
    help: 'Events that one statement appends',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000],
    registers,
  });
  const delivery = new Histogram({
    name: 'guildhall_event_delivery_duration_seconds',
    help: 'From the time at which an event was stored until its frame was handed to open streams',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const resets = new Counter({
    name: 'guildhall_event_stream_resets_total',
    help: 'Readers that asked for events that are no longer kept',
    registers,
  });
  const removed = new Counter({
    name: 'guildhall_events_removed_total',
    help: 'Events that this process deleted after their time',
    registers,
  });
  return {
    onAppend: (milliseconds) => append.observe(milliseconds / 1_000),
    onBatch: (events) => batch.observe(events),
    // The clocks of the database and of this machine may differ a little.
    onDelivery: (milliseconds) => delivery.observe(Math.max(0, milliseconds) / 1_000),
    onReset: () => resets.inc(),
    onRemoved: (events) => removed.inc(events),
  };
}

/** Adds to a registry whether the database of the log answers. */
export function measureEventDatabase(
  registry: Registry,
  log: Pick<OpenedEventLog, 'answers'>,
): void {
  new Gauge({
    name: 'guildhall_event_database_up',
    help: 'Whether the database with the events of tasks answered this scrape',
    registers: [registry],
    aggregator: 'min',
    async collect() {
      this.set((await log.answers()) ? 1 : 0);
    },
  });
}
