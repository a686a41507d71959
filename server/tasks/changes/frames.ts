/** What one write of a stream takes. */
const WRITE = 64 * 1024;

/** A frame `changed` as a stream sends it: the JSON text of a change, after a position. */
const changedFrame = (position: string, json: string): Buffer =>
  Buffer.from(`id: ${position}\nevent: changed\ndata: ${json}\n\n`);

/** Tells a reader that it may have missed anything until now. */
export const resetFrame = (position: string): Buffer =>
  Buffer.from(`id: ${position}\nevent: reset\ndata: {}\n\n`);

/** The frames of some changes, as pieces of about 64 KB. */
export function pieces(position: string, changes: readonly string[]): Buffer[] {
  const made: Buffer[] = [];
  let frames: Buffer[] = [];
  let size = 0;
  const cut = () => {
    if (frames.length > 0) made.push(Buffer.concat(frames));
    frames = [];
    size = 0;
  };
  for (const json of changes) {
    const frame = changedFrame(position, json);
    if (size + frame.length > WRITE) cut();
    frames.push(frame);
    size += frame.length;
  }
  cut();
  return made;
}
