import type { Page } from 'playwright-core';

/** A picture may differ in so small a part, such as a time, and still be kept. */
const PART = 1 / 5_000;

const url = (picture: Buffer): string => `data:image/webp;base64,${picture.toString('base64')}`;

/** Whether two pictures look the same; `blank` is an empty page, which decodes them. */
export async function looksSame(blank: Page, one: Buffer, other: Buffer): Promise<boolean> {
  const part = await blank.evaluate(
    `(${differingPart})(${JSON.stringify(url(one))}, ${JSON.stringify(url(other))})`,
  );
  return Number(part) < PART;
}

/** As text, because it runs in the browser: the part of the pixels that clearly differ. */
const differingPart = `async (...urls) => {
  const [one, other] = await Promise.all(
    urls.map(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    }),
  );
  if (one.width !== other.width || one.height !== other.height) return 1;
  let differing = 0;
  for (let at = 0; at < one.data.length; at += 4) {
    const far = [0, 1, 2].some((part) => Math.abs(one.data[at + part] - other.data[at + part]) > 24);
    if (far) differing += 1;
  }
  return (4 * differing) / one.data.length;
}`;
