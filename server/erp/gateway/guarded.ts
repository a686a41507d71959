/**
 * What agents do not see, and what they do not change, in any Odoo of a connection: whatever the user
 * of the credential may do. An admin of the project makes exceptions for a connection
 * (docs/decisions/0064-odoo.md). `*` stands for any characters; the first that
 * fits a model counts. Of Odoo 16 to 19, either edition.
 */

interface GuardedModels {
  models: readonly string[];
  /** `hidden`: neither read nor changed; `read`: read only; `open`: as the connection says. */
  agents: 'hidden' | 'read' | 'open';
  why: string;
}

export const GUARDED_MODELS: readonly GuardedModels[] = [
  {
    models: ['ir.config_parameter', 'res.config.settings', 'ir.default', 'ir.property'],
    agents: 'hidden',
    why: 'it holds the keys and settings of the whole database',
  },
  {
    models: ['ir.mail_server', 'fetchmail.server', 'mail.mail', 'sms.sms', 'ir.logging'],
    agents: 'hidden',
    why: 'it holds passwords of mail servers, or codes and links that sign people in',
  },
  {
    models: ['payment.provider', 'payment.token', 'payment.acquirer', 'iap.*', 'certificate.*'],
    agents: 'hidden',
    why: 'it holds keys with which money or signatures are made',
  },
  {
    models: [
      'res.users.apikeys*',
      'res.users.identitycheck',
      'res.users.settings*',
      'res.device*',
      'change.password*',
      'auth*',
      'totp*',
      'res.company.ldap',
      'google.*',
      'microsoft.*',
      'bus.bus',
      'mail.push*',
      'mail.ice.server',
    ],
    agents: 'hidden',
    why: 'it is about how people and programs sign in',
  },
  {
    models: ['ir.attachment', 'ir.sequence*', 'ir.exports*', 'ir.filters'],
    agents: 'open',
    why: 'ordinary work needs it; Odoo checks files by the record that they belong to',
  },
  {
    models: ['ir.*', 'base', 'base.*', 'base_import.*', 'report.*', 'website.page', 'studio*'],
    agents: 'read',
    why: 'it makes Odoo run other code, or changes who may do what',
  },
  {
    models: ['res.users*', 'res.groups*', 'res.role', 'portal.wizard*'],
    agents: 'read',
    why: 'it says who may sign in, and what they may do',
  },
  {
    models: [
      'mail.template*',
      'mail.compose*',
      'mail.render.mixin',
      'mail.alias*',
      'mail.activity.plan*',
      'survey.invite',
      'slide.channel.invite',
      'sale.order.cancel',
      'applicant.*',
      'sms.template*',
      'sms.composer',
      'mailing.*',
      'marketing.*',
      'event.mail*',
      'digest.*',
    ],
    agents: 'read',
    why: 'its texts are evaluated as code, which reads what agents must not',
  },
];

/** Names of fields that hold secrets, in any model. */
export const SECRET_FIELDS =
  /(?:^|_)(?:password|passwd|passphrase|pass|pwd|secret|token|tokens|api_?keys?|private_key|access_key|secret_key|client_key|credentials?|totp|webhook_key)(?:_|$)|^signup_/;

/** Fields that agents do not change although they change others of the model. */
export const READ_FIELDS: Readonly<Record<string, readonly string[]>> = {
  // An attachment with an address is served in place of a program of the web client.
  'ir.attachment': ['url', 'public', 'type', 'store_fname', 'checksum'],
  // It says which data a user sees.
  'res.company': ['user_ids'],
};

/** Methods of every model that reach what is not named in the call, or run what it says. */
export const REFUSED_METHODS: ReadonlySet<string> = new Set([
  'mapped',
  'filtered',
  'filtered_domain',
  'sorted',
  'grouped',
  'browse',
  'new',
  'update',
  'sudo',
  'with_context',
  'with_user',
  'with_env',
  'with_company',
  'with_prefetch',
  'fetch',
  'search_fetch',
  'get_field_translations',
  'update_field_translations',
  'get_property_definition',
  'concat',
  'union',
  'init',
  'flush',
  'flush_model',
  'modified',
  'get_portal_url',
  'get_share_url',
  'action_create_user',
  'action_create_users',
  'get_base_url',
  'set_param',
  'get_param',
  'render_template',
  'send_mail',
  'send_mail_batch',
]);
