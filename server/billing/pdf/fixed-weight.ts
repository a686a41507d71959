import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** What is used here of HarfBuzz's interface for C, in which pointers and lengths are numbers. */
type Harfbuzz = { memory: WebAssembly.Memory } & Record<Called, (...values: number[]) => number>;
type Called =
  | '_initialize'
  | 'malloc'
  | 'free'
  | 'hb_blob_create'
  | 'hb_blob_destroy'
  | 'hb_blob_get_data'
  | 'hb_blob_get_length'
  | 'hb_face_create'
  | 'hb_face_destroy'
  | 'hb_face_reference_blob'
  | 'hb_subset_input_create_or_fail'
  | 'hb_subset_input_destroy'
  | 'hb_subset_input_keep_everything'
  | 'hb_subset_input_pin_axis_location'
  | 'hb_subset_or_fail';

const READ_ONLY = 1;
const WEIGHT_AXIS = Buffer.from('wght').readUInt32BE();

const harfbuzz = open();

async function open(): Promise<Harfbuzz> {
  const file = createRequire(import.meta.url).resolve('harfbuzzjs/dist/harfbuzz-subset.wasm');
  const { instance } = await WebAssembly.instantiate(await readFile(file));
  const opened = instance.exports as Harfbuzz;
  opened._initialize();
  return opened;
}

/** A font of variable weight (TrueType) as one of this weight, because fontkit embeds only those. */
export async function fixedWeight(font: Uint8Array, weight: number): Promise<Buffer> {
  const hb = await harfbuzz;
  const data = hb.malloc(font.length);
  new Uint8Array(hb.memory.buffer).set(font, data);
  const blob = hb.hb_blob_create(data, font.length, READ_ONLY, 0, 0);
  const face = hb.hb_face_create(blob, 0);
  const wanted = hb.hb_subset_input_create_or_fail();
  hb.hb_subset_input_keep_everything(wanted);
  hb.hb_subset_input_pin_axis_location(wanted, face, WEIGHT_AXIS, weight);
  const fixed = hb.hb_subset_or_fail(face, wanted);
  if (fixed === 0) throw new Error(`A font has no weight ${weight}.`);
  const written = hb.hb_face_reference_blob(fixed);
  const [at, length] = [hb.hb_blob_get_data(written, 0), hb.hb_blob_get_length(written)];
  const bytes = Buffer.from(new Uint8Array(hb.memory.buffer, at, length));
  for (const each of [written, blob]) hb.hb_blob_destroy(each);
  for (const each of [fixed, face]) hb.hb_face_destroy(each);
  hb.hb_subset_input_destroy(wanted);
  hb.free(data);
  return bytes;
}
