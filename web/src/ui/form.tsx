import { Field as BaseField } from '@base-ui/react/field';
import { Form as BaseForm } from '@base-ui/react/form';
import { type FieldError, GuildhallError } from '@guildhall/client';
import { type InputHTMLAttributes, type ReactNode, useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { patiently } from '../data/patiently.ts';
import { amountError } from './amount.ts';
import { Button, type Look } from './button.tsx';
import { Failure } from './failure.tsx';

/** What a form holds when it is sent, by the names of its fields. */
export type Values = Record<string, string>;

/**
 * A form. While `onSubmit` runs it cannot be sent again. What the API refuses stands beside the
 * field that it names, which has the focus then, and everything else above the button, until
 * something is edited or the form is sent again: only the server knows whether it would still refuse.
 */
export function Form({
  onSubmit,
  submit,
  look = 'primary',
  disabled = false,
  onCancel,
  children,
}: {
  onSubmit: (values: Values) => Promise<unknown>;
  /** The text of the button. */
  submit: string;
  look?: Look;
  disabled?: boolean;
  onCancel?: () => void;
  children?: ReactNode;
}): ReactNode {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<{ error: unknown; says?: string }>();
  const [errors, setErrors] = useState(NO_ERRORS);

  function forget(): void {
    setErrors(NO_ERRORS);
    setRefusal(undefined);
  }

  async function send(form: HTMLFormElement): Promise<void> {
    const data = new FormData(form);
    const names = new Set(data.keys());
    setBusy(true);
    try {
      const entries = [...data].filter((entry): entry is [string, string] => {
        return typeof entry[1] === 'string';
      });
      await onSubmit(Object.fromEntries(entries));
    } catch (error) {
      if (error instanceof GuildhallError && error.fields.length > 0) {
        const { refusal: wordOf, inWords } = await patiently(() => import('./refusal.ts'));
        const beside = errorsByField(error, names, wordOf);
        flushSync(() => setErrors(beside));
        // The library does so in a later frame, and not when a refused form is refused again.
        form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
        if (Object.keys(beside).length === 0) setRefusal({ error, says: inWords(error) });
      } else setRefusal({ error });
    } finally {
      setBusy(false);
    }
  }

  return (
    <BaseForm
      errors={errors}
      className="flex flex-col gap-4"
      onInput={forget}
      // Before the form looks at its fields, where an error would keep it from being sent.
      onSubmitCapture={() => flushSync(forget)}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void send(event.currentTarget);
      }}
    >
      {children}
      {refusal !== undefined && <Failure {...refusal} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look={look} busy={busy} disabled={disabled}>
          {submit}
        </Button>
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
      </div>
    </BaseForm>
  );
}

const NO_ERRORS: Record<string, string> = {};

/** The refusals of a 422 whose fields this form has; none if one of them belongs elsewhere. */
function errorsByField(
  error: GuildhallError,
  names: Set<string>,
  wordOf: (field: FieldError) => string,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const field of error.fields) {
    // An item of a list stands in the field of the list.
    const name = field.loc.map(String).findLast((part) => names.has(part));
    if (name === undefined) return {};
    found[name] ??= wordOf(field);
  }
  return found;
}

export const CONTROL =
  'w-full rounded-box border border-edge bg-surface px-2.5 py-1.5 text-sm placeholder:text-muted disabled:bg-raised';

interface FieldProps {
  name: string;
  label: string;
  hint?: ReactNode;
  children?: ReactNode;
}

function Labelled({
  name,
  label,
  hint,
  validate,
  children,
}: FieldProps & { validate?: ((text: string) => string | null) | undefined }): ReactNode {
  return (
    <BaseField.Root
      name={name}
      {...(validate && { validate: (value: unknown) => validate(String(value ?? '')) })}
      className="flex max-w-lg flex-col gap-1"
    >
      <BaseField.Label className="font-medium">{label}</BaseField.Label>
      {children}
      {hint && <BaseField.Description className="text-xs text-muted">{hint}</BaseField.Description>}
      <BaseField.Error className="text-xs text-wrong" />
    </BaseField.Root>
  );
}

/** A control of its own with this id, which sets the value of a hidden input of this name. */
export function OwnField({
  name,
  label,
  children,
}: {
  name: string;
  label: string;
  children: (id: string) => ReactNode;
}): ReactNode {
  const id = useId();
  return (
    <BaseField.Root name={name} className="flex max-w-lg flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children(id)}
      <BaseField.Error className="text-xs text-wrong" />
    </BaseField.Root>
  );
}

/** One line of text; one of decimals is an amount in USD. */
export function TextField({
  name,
  label,
  hint,
  ...rest
}: Omit<FieldProps, 'children'> & InputHTMLAttributes<HTMLInputElement>): ReactNode {
  return (
    <Labelled
      name={name}
      label={label}
      hint={hint}
      validate={rest.inputMode === 'decimal' ? amountError : undefined}
    >
      <BaseField.Control className={CONTROL} {...rest} />
    </Labelled>
  );
}

/**
 * Several lines of text. What is too long is refused: a browser would cut what is pasted, and not
 * say so.
 */
export function TextArea({
  name,
  label,
  hint,
  rows = 4,
  maxLength,
  ...rest
}: Omit<FieldProps, 'children'> & {
  rows?: number;
  required?: boolean;
  placeholder?: string;
  defaultValue?: string;
  maxLength?: number;
  /** Whenever something was typed, such as to keep a draft. */
  onValueChange?: (text: string) => void;
}): ReactNode {
  return (
    <Labelled
      name={name}
      label={label}
      hint={hint}
      validate={(text) => {
        if (rest.required && text.trim() === '') return 'Fill this in.';
        return maxLength !== undefined && Array.from(text).length > maxLength
          ? `Write at most ${maxLength} characters.`
          : null;
      }}
    >
      <BaseField.Control
        render={<textarea rows={rows} dir="auto" />}
        className={`${CONTROL} resize-y`}
        {...rest}
      />
    </Labelled>
  );
}

/** One of a few choices. Another default that comes later is shown until the person has chosen. */
export function SelectField({
  name,
  label,
  hint,
  options,
  defaultValue,
  onChange,
}: Omit<FieldProps, 'children'> & {
  options: readonly { value: string; label: string }[];
  defaultValue?: string;
  onChange?: (value: string) => void;
}): ReactNode {
  const [chosen, choose] = useState<string>();
  return (
    <Labelled name={name} label={label} hint={hint}>
      <BaseField.Control
        render={
          <select>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
        }
        className={CONTROL}
        defaultValue={chosen ?? defaultValue}
        onChange={({ target }) => {
          const { value } = target as unknown as HTMLSelectElement;
          choose(value);
          onChange?.(value);
        }}
      />
    </Labelled>
  );
}

/** A choice of yes or no; the form holds `on`, or nothing. */
export function CheckField({
  name,
  label,
  hint,
  ...rest
}: Omit<FieldProps, 'children'> & InputHTMLAttributes<HTMLInputElement>): ReactNode {
  const id = useId();
  return (
    <BaseField.Root name={name} className="flex items-start gap-2">
      <input
        type="checkbox"
        id={id}
        name={name}
        className="mt-0.5 size-4 shrink-0 accent-accent"
        aria-describedby={hint ? `${id}-hint` : undefined}
        {...rest}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-hint`} className="text-xs text-muted">
            {hint}
          </p>
        )}
        <BaseField.Error className="text-xs text-wrong" />
      </div>
    </BaseField.Root>
  );
}
