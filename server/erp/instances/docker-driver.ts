import { hash } from 'node:crypto';
import type { ErpProgram } from '../../platform/catalog/erp-programs.ts';
import { type DockerClient, faultOf } from '../../platform/pods/docker/client.ts';
import { translated } from './engine-errors.ts';
import {
  DATABASE_IMAGE,
  databaseEnvironment,
  imageOf,
  ODOO_COMMAND,
  ODOO_PORT,
  odooEnvironment,
} from './images.ts';
import {
  checkedInstanceId,
  type InstanceDriver,
  InstanceError,
  type InstanceStatus,
} from './instance-driver.ts';

/**
 * Instances as containers of a Docker engine: Odoo and its database in a network of their own. They
 * go on when the process that has started them ends.
 */

interface DockerInstances {
  client: DockerClient;
  /** As in DOCKER_HOST: where the ports of containers are, too. */
  host: string;
  programs: readonly ErpProgram[];
  /** Tells our instances from those of another server at the same engine. */
  namespace: string;
}

const LABEL = 'guildhall.instance';
const OF = 'guildhall.instances-of';
const PARTS = ['odoo', 'db'] as const;
const PORT = `${ODOO_PORT}/tcp`;
const MEMORY = 2 * 1024 ** 3;

export function dockerInstances({
  client,
  host,
  programs,
  namespace,
}: DockerInstances): InstanceDriver {
  const nameOf = (id: string, part: string) => `${namespace}-erp-${checkedInstanceId(id)}-${part}`;
  const labels = (id: string) => ({ [LABEL]: id, [OF]: namespace });
  const filters = (...label: string[]) => encodeURIComponent(JSON.stringify({ label }));
  // Ports of an engine on this machine are published to this machine only.
  const { protocol, hostname } = new URL(host);
  const at = protocol === 'unix:' ? '127.0.0.1' : hostname;
  const published = protocol === 'unix:' ? '127.0.0.1' : '0.0.0.0';

  const expect = async (asked: ReturnType<DockerClient['ask']>, ...expected: number[]) => {
    const { status, json } = await asked.catch(translated);
    if (!expected.includes(status)) translated(faultOf(status, json));
    return { status, json };
  };
  const inspect = async (id: string, part: string) => {
    const path = `/containers/${nameOf(id, part)}/json`;
    const { status, json } = await expect(client.ask('GET', path), 200, 404);
    return status === 404 ? undefined : json;
  };

  async function make(id: string, part: string, image: string, body: object): Promise<void> {
    const path = `/containers/create?name=${nameOf(id, part)}`;
    const container = { Image: image, Labels: labels(id), ...body };
    const made = await expect(client.ask('POST', path, container), 201, 404, 409);
    if (made.status === 404)
      throw new InstanceError('failed', `The container engine has no image ${image}: pull it.`);
  }

  interface Network {
    Id: string;
    Labels?: Record<string, string>;
  }
  const networks = async (...label: string[]): Promise<Network[]> => {
    const path = `/networks?filters=${filters(`${OF}=${namespace}`, ...label)}`;
    return (await expect(client.ask('GET', path), 200)).json ?? [];
  };

  const limits = (network: string, more: object = {}) => ({
    NetworkMode: network,
    Memory: MEMORY,
    PidsLimit: 512,
    Privileged: false,
    SecurityOpt: ['no-new-privileges:true'],
    RestartPolicy: { Name: 'no' },
    LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    ...more,
  });
  const environment = (values: Record<string, string>) =>
    Object.entries(values).map(([name, value]) => `${name}=${value}`);

  const driver: InstanceDriver = {
    name: 'docker',

    async create({ id, erpVersion, database, password }) {
      const network = nameOf(id, 'net');
      // Before Docker 25 names may be given twice unless that is refused here.
      const wanted = { Name: network, CheckDuplicate: true, Labels: labels(id) };
      await expect(client.ask('POST', '/networks/create', wanted), 201, 409);
      // From that of `admin`, so that it need not be stored either.
      const databasePassword = hash('sha256', `database ${password}`, 'base64url');
      await make(id, 'db', DATABASE_IMAGE, {
        Env: environment(databaseEnvironment(databasePassword)),
        HostConfig: limits(network),
        NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: ['db'] } } },
      });
      const values = { host: 'db', database, databasePassword, adminPassword: password };
      await make(id, 'odoo', imageOf(programs, erpVersion), {
        Cmd: ODOO_COMMAND,
        Env: environment(odooEnvironment(values)),
        ExposedPorts: { [PORT]: {} },
        HostConfig: limits(network, {
          PortBindings: { [PORT]: [{ HostIp: published, HostPort: '' }] },
        }),
      });
      return driver.find(id);
    },

    async find(id): Promise<InstanceStatus> {
      checkedInstanceId(id);
      try {
        const odoo = await inspect(id, 'odoo');
        if (odoo === undefined) return { id, state: 'absent', reason: undefined };
        const { Running, ExitCode } = odoo.State;
        if (Running === true) return { id, state: 'running', reason: undefined };
        const reason = ExitCode ? `Its container ended with the code ${ExitCode}.` : undefined;
        return { id, state: 'stopped', reason };
      } catch (error) {
        return { id, state: 'unknown', reason: (error as Error).message };
      }
    },

    async start({ id }) {
      for (const part of ['db', 'odoo'] as const) {
        const path = `/containers/${nameOf(id, part)}/start`;
        const { status } = await expect(client.ask('POST', path), 204, 304, 404);
        if (status === 404) throw new InstanceError('absent', `there is no instance ${id}`);
      }
    },

    async url(id) {
      const odoo = await inspect(id, 'odoo');
      const port = odoo?.NetworkSettings?.Ports?.[PORT]?.[0]?.HostPort;
      return port === undefined ? undefined : `http://${at}:${port}`;
    },

    async destroy(id) {
      for (const part of PARTS) {
        // Its volume goes, too. 409: it is being removed already.
        const path = `/containers/${nameOf(id, part)}?force=true&v=true`;
        await expect(client.ask('DELETE', path), 204, 404, 409);
      }
      // By their ids: two workers at once may have made two of one name in an older engine.
      for (const network of await networks(`${LABEL}=${id}`))
        await expect(client.ask('DELETE', `/networks/${network.Id}`), 204, 404);
    },

    async list() {
      // The network is the first that is made, and the last that is removed.
      const ids = (await networks()).flatMap(({ Labels }) => Labels?.[LABEL] ?? []);
      return Promise.all(
        [...new Set(ids)].map(async (id) => {
          const status = await driver.find(id);
          return status.state === 'absent' ? { ...status, state: 'stopped' as const } : status;
        }),
      );
    },

    release: async () => undefined,
    close: async () => undefined,
  };
  return driver;
}
