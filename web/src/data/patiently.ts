/**
 * Loads a part of the page that can be waited for, such as a menu: when the network is away, until it
 * is back. Nothing is asked for before: some browsers keep a failure as long as the document.
 */
export async function patiently<Part>(load: () => Promise<Part>): Promise<Part> {
  for (;;) {
    try {
      if (navigator.onLine) return await load();
    } catch {}
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}
