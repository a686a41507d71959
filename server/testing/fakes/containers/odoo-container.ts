import type { FakeOdoo } from '../fake-odoo/fake.ts';
import { startFakeOdoo } from '../fake-odoo/server.ts';

/**
 * What the fakes of container engines run for an Odoo image: the fake Odoo, with the
 * version of the image, and the database and password that its environment says.
 */
export async function odooContainer(
  image: string,
  env: Readonly<Record<string, string>>,
  port = 0,
): Promise<FakeOdoo> {
  const version = (['16.0', '17.0', '18.0', '19.0'] as const).find((one) => image.endsWith(one));
  if (version === undefined) throw new Error(`The fake has no image ${image}`);
  const fake = await startFakeOdoo({ port, version, databases: [env.DB_NAME ?? ''] });
  const admin = fake.database.users.find(({ login }) => login === 'admin');
  if (admin !== undefined) admin.password = env.ADMIN_PASSWORD ?? '';
  return fake;
}
