import { queryOptions } from '@tanstack/react-query';
import { auth } from './api.ts';
import { queries } from './queries.ts';
import { readStored, writeStored } from './storage.ts';

/** Whether this browser can be told at all: only on HTTPS, or on this machine. */
export const canBeTold = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

export const pushQuery = queryOptions({
  queryKey: ['session', 'push'],
  queryFn: ({ signal }) => auth.get('/auth/push', {}, { signal }),
});

const refresh = () => queries.invalidateQueries({ queryKey: pushQuery.queryKey });

/** Asks the person, then the push service of the browser. `denied`: the person has not allowed it. */
export async function beTold(): Promise<'told' | 'denied'> {
  const { public_key: key } = await queries.fetchQuery(pushQuery);
  if (key === undefined)
    throw new Error('The server has no key for browsers yet: try again later.');
  if ((await Notification.requestPermission()) !== 'granted') return 'denied';
  const registration = await navigator.serviceWorker.register('/push-worker.js');
  await navigator.serviceWorker.ready;
  // One that was made with another key would be refused.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: key,
  });
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const { p256dh = '', auth: secret = '' } = keys;
  await auth.put('/auth/push', { body: { endpoint, p256dh, auth: secret } });
  await refresh();
  return 'told';
}

export async function beToldNoMore(): Promise<void> {
  await auth.delete('/auth/push');
  const registration = await navigator.serviceWorker.getRegistration('/push-worker.js');
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  await refresh();
}

const ASKED = 'asked-push';

/** Whether to ask the person: they have not been asked in this browser, and have decided nothing. */
export const mayAsk = (): boolean =>
  canBeTold() && Notification.permission === 'default' && readStored(ASKED) === null;

export const noteAsked = (): void => writeStored(ASKED, 'true');
