/**
 * Copies a text; false if the browser does not allow it. Pages over plain HTTP have no clipboard:
 * there, the browser copies what is selected.
 */
export function copy(text: string): Promise<boolean> {
  if (!isSecureContext) return Promise.resolve(copySelected(text));
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

function copySelected(text: string): boolean {
  const focused = document.activeElement as HTMLElement | null;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'sr-only';
  // Nothing outside of an open dialog can be selected.
  ([...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body).append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  focused?.focus();
  return copied;
}
