import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';

/** How long a person pauses before what they have typed is looked for. */
const PAUSE_MS = 250;

/**
 * Looks for something in a list once the person has paused, or by Enter. What is looked for usually
 * stands in the address, from where another text may come.
 */
export function SearchField({
  label,
  value = '',
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (text: string | undefined) => void;
}): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  /** Texts of this field that `value` has not been yet, the oldest first. */
  const sent = useRef<string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  // A view, or a step back, has another text. What comes from this field comes back to it late, and
  // without its last space: what is being typed is not taken away.
  useLayoutEffect(() => {
    const at = sent.current.lastIndexOf(value);
    sent.current = at < 0 ? [] : sent.current.slice(at + 1);
    if (at < 0 && timer.current === undefined && input.current !== null)
      input.current.value = value;
  }, [value]);
  const look = (typed: string) => {
    clearTimeout(timer.current);
    timer.current = undefined;
    const text = typed.trim();
    if (text !== (sent.current.at(-1) ?? value)) sent.current.push(text);
    latest.current(text || undefined);
  };
  return (
    <input
      ref={input}
      type="search"
      aria-label={label}
      placeholder="Search"
      defaultValue={value}
      maxLength={200}
      onChange={({ target: { value: typed } }) => {
        clearTimeout(timer.current);
        timer.current = setTimeout(() => look(typed), PAUSE_MS);
      }}
      onKeyDown={({ key, currentTarget: { value: typed } }) => {
        if (key === 'Enter') look(typed);
      }}
      className="w-44 rounded-box border border-edge bg-surface px-2.5 py-1 placeholder:text-muted"
    />
  );
}
