import { sql } from '../../db/sql.ts';
import { shownStatusOf } from '../shown-status.ts';

/** The status that is shown, of a row `task`. */
export const shownStatus = shownStatusOf(sql`task`);

/** Nothing of the task runs or waits to run, and it is not cancelled. */
export const isIdle = sql`(${shownStatus} in ('awaiting_approval', 'ready', 'failed'))`;

export const isOpen = sql`(${shownStatus} <> 'cancelled')`;
