const WIDTH = 640;
const HEIGHT = 360;
const MARGIN = 56;

/** A line over logarithmic axes, as an SVG document. All values are above 0. */
export function plot(
  points: readonly [number, number][],
  labels: { x: string; y: string },
): string {
  const scale = (values: number[], from: number, to: number) => {
    const low = Math.floor(Math.log10(Math.min(...values)));
    const high = Math.ceil(Math.log10(Math.max(...values)));
    const place = (value: number) =>
      from + ((Math.log10(value) - low) / (high - low)) * (to - from);
    const ticks = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
    return { place, ticks };
  };
  const x = scale(
    points.map(([value]) => value),
    MARGIN,
    WIDTH - MARGIN,
  );
  const y = scale(
    points.map(([, value]) => value),
    HEIGHT - MARGIN,
    MARGIN,
  );
  const at = ([a, b]: readonly [number, number]) =>
    `${x.place(a).toFixed(1)},${y.place(b).toFixed(1)}`;
  const text = (left: number, top: number, content: string, anchor = 'middle') =>
    `<text x="${left.toFixed(1)}" y="${top.toFixed(1)}" text-anchor="${anchor}">${content}</text>`;
  const line = (x1: number, y1: number, x2: number, y2: number) =>
    `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="#ccc"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${labels.y} by ${labels.x}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    ...x.ticks.map((tick) => line(x.place(tick), MARGIN, x.place(tick), HEIGHT - MARGIN)),
    ...x.ticks.map((tick) => text(x.place(tick), HEIGHT - MARGIN + 18, String(tick))),
    ...y.ticks.map((tick) => line(MARGIN, y.place(tick), WIDTH - MARGIN, y.place(tick))),
    ...y.ticks.map((tick) =>
      text(MARGIN - 8, y.place(tick) + 4, String(Number(tick.toPrecision(3))), 'end'),
    ),
    text(WIDTH / 2, HEIGHT - 12, labels.x),
    text(MARGIN, MARGIN - 16, labels.y),
    `<polyline fill="none" stroke="#7C3AED" stroke-width="2" points="${points.map(at).join(' ')}"/>`,
    ...points.map((point) => {
      const [left, top] = at(point).split(',') as [string, string];
      return `<circle cx="${left}" cy="${top}" r="4" fill="#7C3AED"/>${text(Number(left), Number(top) - 10, `${point[1].toFixed(1)} ms`)}`;
    }),
    '</svg>',
    '',
  ].join('\n');
}
