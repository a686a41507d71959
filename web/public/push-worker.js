/** Shows what the server tells this browser, and leads to the task. It keeps nothing and answers no request. */

self.addEventListener('push', (event) => {
  const { title, body, url, tag } = event.data?.json() ?? {};
  if (typeof title !== 'string') return;
  const options = { body, tag, icon: '/icon.svg', data: { url }, renotify: true };
  event.waitUntil(self.registration.showNotification(title, options));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { url } = event.notification.data ?? {};
  const target = new URL(typeof url === 'string' ? url : '/', self.location.origin);
  if (target.origin !== self.location.origin) return;
  event.waitUntil(show(target.href));
});

async function show(href) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const open = windows.find((one) => one.url === href);
  return open ? open.focus() : self.clients.openWindow(href);
}
