const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** How often, of the schedules that the form offers. */
export const OFTEN = [
  { value: 'hour', label: 'Every hour' },
  { value: 'day', label: 'Every day' },
  { value: 'weekday', label: 'Monday to Friday' },
  ...DAYS.map((day, number) => ({ value: String(number), label: `Every ${day}` })),
  { value: 'month', label: 'Every month, on the first day' },
  { value: 'cron', label: 'By five fields of cron' },
];

/** The schedule of a choice of the form; `time` is `HH:MM`. */
export function cronOf(often: string, time: string): string {
  const [hour = '6', minute = '0'] = time.split(':').map((part) => String(Number(part)));
  switch (often) {
    case 'hour':
      return `${minute} * * * *`;
    case 'day':
      return `${minute} ${hour} * * *`;
    case 'weekday':
      return `${minute} ${hour} * * 1-5`;
    case 'month':
      return `${minute} ${hour} 1 * *`;
    default:
      return `${minute} ${hour} * * ${often}`;
  }
}

/** The choice of the form that a schedule is. */
export function choiceOf(schedule: string): { often: string; time: string } {
  const [, minute = '', hour = '', day, , week = ''] =
    /^(\d{1,2}) (\d{1,2}|\*) (\*|1) (\*) (\*|[0-6]|1-5)$/.exec(schedule) ?? [];
  const time = `${hour.replace('*', '0').padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (minute === '') return { often: 'cron', time: '06:00' };
  if (hour === '*') return { often: day === '*' && week === '*' ? 'hour' : 'cron', time };
  if (day === '1') return { often: week === '*' ? 'month' : 'cron', time };
  return { often: week === '*' ? 'day' : week === '1-5' ? 'weekday' : week, time };
}

/** A schedule in words, or as it is written. */
export function inWords(schedule: string, timeZone: string): string {
  const { often, time } = choiceOf(schedule);
  if (often === 'cron') return `${schedule}, ${timeZone}`;
  const label = OFTEN.find(({ value }) => value === often)?.label ?? schedule;
  const at = often === 'hour' ? `at minute ${Number(time.slice(3))}` : `at ${time}`;
  return `${label} ${at}, ${timeZone}`;
}
