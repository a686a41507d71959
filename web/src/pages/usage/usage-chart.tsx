import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react';
import {
  dailyUsageQuery,
  type UsageGroup,
  type UsageOf,
  type UsagePeriod,
} from '../../data/usage.ts';
import { exactDollars } from '../../ui/amount.ts';

const DAY_MS = 86_400_000;
const [WIDTH, HEIGHT] = [960, 120];

interface Day {
  day: string;
  /** As the API wrote it. */
  text: string;
  /** To draw only. */
  amount: number;
}

/**
 * What each day has cost, as bars with an axis. The pointer or the arrow keys show the cost of a
 * day; the table below has the same figures by day as text.
 */
export function UsageChart({ whose, period }: { whose: UsageOf; period: UsagePeriod }): ReactNode {
  const { data } = useQuery(dailyUsageQuery(whose, period));
  const [at, show] = useState<number>();
  if (data === undefined) return null;
  const { from, to } = data;
  const days = everyDay(from, to, data.days);
  const most = days.reduce((a, b) => (b.amount > a.amount ? b : a));
  if (most.amount === 0) return null;
  const top = roundTop(most.amount);
  const step = WIDTH / days.length;
  const shown = at === undefined ? undefined : days[at];
  const point = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / width) * days.length);
    show(Math.min(Math.max(index, 0), days.length - 1));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = days.length - 1;
    const next = {
      ArrowRight: Math.min((at ?? -1) + 1, last),
      ArrowLeft: Math.max((at ?? last + 1) - 1, 0),
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === 'Escape') show(undefined);
    if (next === undefined) return;
    event.preventDefault();
    show(next);
  };
  return (
    <figure className="flex flex-col gap-1">
      <div className="flex gap-2">
        <div
          aria-hidden="true"
          className="flex w-16 shrink-0 flex-col justify-between text-right text-xs text-muted"
        >
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{axisText(value)}</span>
          ))}
        </div>
        <div
          role="slider"
          tabIndex={0}
          aria-label={`Cost of each day from ${from} to ${to}; the highest is ${exactDollars(most.text)} on ${most.day}`}
          aria-valuemin={0}
          aria-valuemax={days.length - 1}
          aria-valuenow={at ?? 0}
          aria-valuetext={
            shown === undefined ? 'No day is chosen' : `${shown.day}: ${exactDollars(shown.text)}`
          }
          onKeyDown={onKeyDown}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => show(undefined)}
          onBlur={() => show(undefined)}
          className="relative min-w-0 flex-1 rounded-box"
        >
          <svg
            aria-hidden="true"
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            className="h-36 w-full border-b border-edge"
          >
            {[0.5, HEIGHT / 2].map((y) => (
              <line
                key={y}
                x1={0}
                x2={WIDTH}
                y1={y}
                y2={y}
                vectorEffect="non-scaling-stroke"
                className="stroke-line"
              />
            ))}
            {days.map(({ day, amount }, index) => (
              <rect
                key={day}
                x={index * step + step * 0.1}
                width={step * 0.8}
                y={HEIGHT - (amount / top) * HEIGHT}
                height={(amount / top) * HEIGHT}
                className={index === at ? 'fill-accent-strong' : 'fill-accent'}
              />
            ))}
            {at !== undefined && (
              <line
                x1={(at + 0.5) * step}
                x2={(at + 0.5) * step}
                y1={0}
                y2={HEIGHT}
                vectorEffect="non-scaling-stroke"
                className="stroke-edge"
              />
            )}
          </svg>
          {shown !== undefined && at !== undefined && (
            <p
              data-tooltip
              // Beside the bar, on the side that has room.
              className={`pointer-events-none absolute top-1 rounded-box border border-line bg-surface px-2 py-1 text-xs whitespace-nowrap shadow-lg ${at < days.length / 2 ? 'right-1' : 'left-1'}`}
            >
              {shown.day} <strong>{exactDollars(shown.text)}</strong>
            </p>
          )}
        </div>
      </div>
      <figcaption className="flex justify-between pl-18 text-xs text-muted">
        {[0, Math.floor((days.length - 1) / 2), days.length - 1]
          .filter((index, place, all) => all.indexOf(index) === place)
          .map((index) => (
            <span key={index}>{days[index]?.day}</span>
          ))}
      </figcaption>
    </figure>
  );
}

/** 1, 2 or 5 times a power of ten, at least the amount: the top of the axis. */
function roundTop(amount: number): number {
  const power = 10 ** Math.floor(Math.log10(amount));
  return ([1, 2, 5].find((times) => times * power >= amount) ?? 10) * power;
}

/** `$0`, `$2.50`, `$1,000`, `$0.0005` */
const axisText = (value: number): string =>
  `$${value.toLocaleString('en-US', Number.isInteger(value) ? {} : { minimumFractionDigits: 2, maximumFractionDigits: 9 })}`;

/** The days of the period in order, also those on which nothing was used. */
function everyDay(from: string, to: string, groups: readonly UsageGroup[]): Day[] {
  const amounts = new Map(groups.map(({ day, amount }) => [day, amount]));
  const length = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return Array.from({ length }, (_, index) => {
    const day = new Date(Date.parse(from) + index * DAY_MS).toISOString().slice(0, 10);
    const text = amounts.get(day) ?? '0.00';
    return { day, text, amount: Number(text) };
  });
}
