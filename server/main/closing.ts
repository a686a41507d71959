/**
 * Closes what started last first. A step that fails does not keep the others open; its error is
 * thrown in the end.
 */
export async function closeInReverse(closing: (() => Promise<void>)[]): Promise<void> {
  const last = closing.pop();
  if (last === undefined) return;
  try {
    await last();
  } finally {
    await closeInReverse(closing);
  }
}
