/**
 * Loads a part of the page that can be waited for, such as a menu: when the network is away, until it
 * is back.
 */
export async function patiently<Part>(load: () => Promise<Part>): Promise<Part> {
  for (;;) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
  }
}
