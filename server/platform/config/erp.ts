import { networks, oneOf } from './readers.ts';
import { optional, setting } from './setting.ts';

/** The environment variables of connections to ERP servers. */
export const ERP_SETTINGS = {
  ERP_ALLOWED_NETWORKS: optional(
    networks,
    'addresses and networks (`10.0.0.0/8`), separated by commas, in which ERP servers may be ' +
      'although they are not on the public internet. Every person with an account can make this ' +
      'server connect to them ([ERP servers](#erp-servers))',
  ),
  ERP_ALLOW_HTTP: setting(
    oneOf(['true', 'false']),
    'false',
    'whether ERP servers may be reached without TLS; logins and keys are then sent in clear text',
  ),
};
