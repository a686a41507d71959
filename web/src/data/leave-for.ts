/**
 * Leaves the dashboard for a path of this server that asks whether its own page led there. Over plain
 * HTTP, browsers say so in the Referer alone, which pages of the dashboard do not send otherwise.
 */
export function leaveFor(path: string): void {
  const link = document.createElement('a');
  link.href = path;
  link.referrerPolicy = 'origin';
  link.click();
}
