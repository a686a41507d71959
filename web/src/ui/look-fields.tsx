import { type ReactNode, useState } from 'react';
import { Icon } from './icons.tsx';
import { WORKSPACE_ICONS, WorkspaceIcon } from './workspace-icon.tsx';

/** Fields for how something looks: what can be chosen is shown, not described. */

/** Dark enough for white text on them; the names are read to those who do not see them. */
const COLORS = {
  '#3355aa': 'Blue',
  '#6d3fc0': 'Violet',
  '#a8327a': 'Pink',
  '#b42318': 'Red',
  '#a04e00': 'Orange',
  '#5f6b00': 'Olive',
  '#0b7a4b': 'Green',
  '#0f766e': 'Teal',
  '#475467': 'Grey',
};

const CHOICE =
  'relative inline-flex size-8 items-center justify-center rounded-box border border-line has-checked:border-2 has-checked:border-accent has-checked:bg-tint has-focus-visible:outline-2 has-focus-visible:outline-link';
// Over its picture, so that a click and a finger meet the button itself.
const RADIO = 'absolute inset-0 cursor-pointer opacity-0';

/** A colour out of a few, or another one. With `none` it may be left out: the form then holds ''. */
export function ColorField({
  name,
  label,
  defaultValue,
  none = false,
}: {
  name: string;
  label: string;
  defaultValue?: string | undefined;
  none?: boolean;
}): ReactNode {
  const first = defaultValue?.toLowerCase() ?? (none ? '' : '#3355aa');
  const isOther = first !== '' && !Object.hasOwn(COLORS, first);
  const [other, setOther] = useState(isOther ? first : '#3355aa');
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="flex flex-wrap items-center gap-1.5">
        {none && (
          <span className={CHOICE} title="None">
            <Icon name="close" />
            <input
              type="radio"
              name={name}
              value=""
              aria-label="None"
              defaultChecked={first === ''}
              className={RADIO}
            />
          </span>
        )}
        {Object.entries(COLORS).map(([value, word]) => (
          <span key={value} className={CHOICE} title={word}>
            <span
              aria-hidden="true"
              className="size-5 rounded-full"
              style={{ backgroundColor: value }}
            />
            <input
              type="radio"
              name={name}
              value={value}
              aria-label={word}
              defaultChecked={first === value}
              className={RADIO}
            />
          </span>
        ))}
        <label className="inline-flex items-center gap-1.5">
          <input
            type="radio"
            name={name}
            value={other}
            defaultChecked={isOther}
            className="size-4 accent-accent"
          />
          Another
        </label>
        <input
          type="color"
          aria-label="The other colour"
          value={other}
          onChange={(event) => setOther(event.target.value)}
          className="h-8 w-12 rounded-box border border-edge bg-surface p-1"
        />
      </div>
    </fieldset>
  );
}

/** An icon out of a few, or none: the form then holds ''. One that is not among them stays. */
export function IconField({
  name,
  label,
  defaultValue = '',
}: {
  name: string;
  label: string;
  defaultValue?: string | undefined;
}): ReactNode {
  const others = defaultValue === '' || WORKSPACE_ICONS.includes(defaultValue);
  const choices = ['', ...WORKSPACE_ICONS, ...(others ? [] : [defaultValue])];
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="flex flex-wrap gap-1.5">
        {choices.map((icon) => (
          <span key={icon} className={`${CHOICE} min-w-8 px-1.5 w-auto`} title={icon || 'None'}>
            {icon === '' ? <Icon name="close" /> : <WorkspaceIcon name={icon} other={icon} />}
            <input
              type="radio"
              name={name}
              value={icon}
              aria-label={icon || 'None'}
              defaultChecked={icon === defaultValue}
              className={RADIO}
            />
          </span>
        ))}
      </div>
    </fieldset>
  );
}
