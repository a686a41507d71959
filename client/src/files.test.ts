import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHarness } from '../../server/testing/harness/harness.ts';
import { faultyProxy } from '../testing/faulty-proxy.ts';
import { createClient, GuildhallError, type Upload } from './index.ts';

const { fixtures, url } = await startHarness({ own: true });
const owner = await fixtures.user();
const project = await fixtures.project({ userId: owner.id });
const task_id = await fixtures.task(project, owner);
const proxy = await faultyProxy(url);
const guildhall = createClient({ baseUrl: proxy.url, key: owner.key });
const attachments = '/api/tasks/{task_id}/attachments';
const content = '/api/tasks/{task_id}/attachments/{attachment_id}/content';
const TEXT = 'name,amount\nBolt,4\n';

const streamOf = (text: string) => new Blob([text]).stream() as ReadableStream<Uint8Array>;

test('texts, bytes, blobs and streams are uploaded as they are, and downloaded again', async () => {
  const bodies: [Upload, string][] = [
    [TEXT, 'text/plain;charset=UTF-8'],
    [new TextEncoder().encode(TEXT), 'application/octet-stream'],
    [new TextEncoder().encode(TEXT).buffer, 'application/octet-stream'],
    [new Blob([TEXT], { type: 'text/csv' }), 'text/csv'],
    [streamOf(TEXT), 'application/octet-stream'],
  ];
  for (const [body, type] of bodies) {
    const { id } = await guildhall.post(attachments, { task_id, filename: 'parts.csv', body });
    assert.equal(proxy.seen.at(-1)?.contentType, type);
    const file = await guildhall.download(content, { task_id, attachment_id: id });
    assert.equal(await file.text(), TEXT);
  }
});

test('a part of a file, by a header', async () => {
  const args = { task_id, filename: 'parts.csv', body: TEXT };
  const { id } = await guildhall.post(attachments, args);
  const headers = { range: 'bytes=0-3' };
  const part = await guildhall.download(content, { task_id, attachment_id: id }, { headers });
  assert.deepEqual([part.status, await part.text()], [206, 'name']);
});

test('an upload is repeated with the same key, and makes one file; a stream is not repeated', async () => {
  const count = async () => (await guildhall.get(attachments, { task_id })).length;
  const before = await count();
  proxy.faults.push('answer lost');
  await guildhall.post(attachments, { task_id, filename: 'once.csv', body: TEXT });
  assert.equal(await count(), before + 1);
  proxy.faults.push('lost');
  const args = { task_id, filename: 'never.csv', body: streamOf(TEXT) };
  const { error } = await guildhall.post(attachments, args).result();
  assert.equal(error?.code, 'network_error');
  assert.equal(await count(), before + 1);
});

test('a file that is not there is an error, as for every operation', async () => {
  const file = guildhall.download(content, { task_id, attachment_id: crypto.randomUUID() });
  await assert.rejects(file, (error) => GuildhallError.is(error, 'not_found'));
});

test('a signal ends a download whose body is still to come', async () => {
  const body = 'x'.repeat(4_000_000);
  const { id } = await guildhall.post(attachments, { task_id, filename: 'large.txt', body });
  const stop = new AbortController();
  const direct = createClient({ baseUrl: url, key: owner.key });
  const args = { task_id, attachment_id: id };
  const file = await direct.download(content, args, { signal: stop.signal });
  stop.abort();
  await assert.rejects(file.text(), { name: 'AbortError' });
});
