import { type ForwardProxy, PROXY_USER } from './proxy.ts';

/**
 * What programs read to find the proxy. npm, pip, git, cargo, Go and Composer read the first ones,
 * curl and git those in lower case; Node.js and Maven need to be told. The forwarder of the pod
 * fills in where it listens. Gateways are on loopback, and reached without the proxy.
 */
export function proxyVariables({ token }: Pick<ForwardProxy, 'token'>): Record<string, string> {
  const url = `http://${PROXY_USER}:${token}@{proxy_host}`;
  const direct = 'localhost,127.0.0.1,::1';
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    NO_PROXY: direct,
    http_proxy: url,
    https_proxy: url,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: '1',
    MAVEN_OPTS: mavenOptions(token),
  };
}

const mavenOptions = (token: string): string =>
  [
    '-Daether.connector.http.useSystemProperties=true',
    '-Djdk.http.auth.tunneling.disabledSchemes=',
    ...['http', 'https'].flatMap((scheme) => [
      `-D${scheme}.proxyHost=127.0.0.1`,
      `-D${scheme}.proxyPort={proxy_port}`,
      `-D${scheme}.proxyUser=${PROXY_USER}`,
      `-D${scheme}.proxyPassword=${token}`,
    ]),
    '-Dhttp.nonProxyHosts=localhost|127.0.0.1',
  ].join(' ');
