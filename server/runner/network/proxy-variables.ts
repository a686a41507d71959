import { type ForwardProxy, PROXY_USER } from './proxy.ts';

/**
 * What programs read to find the proxy. Most read the first ones, curl and git those in lower case;
 * Node.js, Yarn from version 2 on, Gradle and Maven need to be told. The forwarder of the pod
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
    YARN_HTTP_PROXY: url,
    YARN_HTTPS_PROXY: url,
    MAVEN_OPTS: javaOptions(token),
    GRADLE_OPTS: javaOptions(token),
  };
}

/**
 * Old scripts of Gradle let the shell read this, so it has no character that means something there. Java
 * reaches loopback without a proxy by itself.
 */
const javaOptions = (token: string): string =>
  [
    '{java_home_option}',
    '-Daether.connector.http.useSystemProperties=true',
    '-Djdk.http.auth.tunneling.disabledSchemes=',
    ...['http', 'https'].flatMap((scheme) => [
      `-D${scheme}.proxyHost=127.0.0.1`,
      `-D${scheme}.proxyPort={proxy_port}`,
      `-D${scheme}.proxyUser=${PROXY_USER}`,
      `-D${scheme}.proxyPassword=${token}`,
    ]),
  ].join(' ');
