import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Scope } from '../../data/billing.ts';
import { dailyUsageQuery, type UsageGroup, type UsagePeriod } from '../../data/usage.ts';

const DAY_MS = 86_400_000;
const [WIDTH, HEIGHT] = [960, 120];

/** What each day has cost, as bars. The table below it has the same figures by day as text. */
export function UsageChart({ org, period }: { org: Scope; period: UsagePeriod }): ReactNode {
  const { data } = useQuery(dailyUsageQuery(org, period));
  if (data === undefined) return null;
  const { from, to } = data;
  const days = everyDay(from, to, data.days);
  const most = Math.max(...days.map(({ amount }) => amount));
  if (most === 0) return null;
  const step = WIDTH / days.length;
  return (
    <figure className="flex flex-col gap-1">
      <svg
        role="img"
        aria-label={`Cost of each day from ${from} to ${to}; the highest is $${most}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-28 w-full rounded-box border border-line bg-surface"
      >
        {days.map(({ day, amount }, index) => (
          <rect
            key={day}
            x={index * step + step * 0.1}
            width={step * 0.8}
            y={HEIGHT - (amount / most) * (HEIGHT - 6)}
            height={(amount / most) * (HEIGHT - 6)}
            className="fill-accent"
          >
            <title>{`${day}: $${amount}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption className="flex justify-between text-xs text-muted">
        <span>{from}</span>
        <span>{to}</span>
      </figcaption>
    </figure>
  );
}

/** The days of the period in order, also those on which nothing was used. Figures to draw only. */
function everyDay(from: string, to: string, groups: readonly UsageGroup[]) {
  const amounts = new Map(groups.map(({ day, amount }) => [day, Number(amount)]));
  const length = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return Array.from({ length }, (_, index) => {
    const day = new Date(Date.parse(from) + index * DAY_MS).toISOString().slice(0, 10);
    return { day, amount: amounts.get(day) ?? 0 };
  });
}
