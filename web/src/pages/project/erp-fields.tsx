import { type ReactNode, useLayoutEffect, useState } from 'react';
import { type Connection, ENVIRONMENTS, KINDS } from '../../data/erp.ts';
import { CheckField, SelectField, TextField } from '../../ui/form.tsx';
import { CheckAddress, type Probe } from './erp-checks.tsx';
import { ACCESS_CHOICES, type Fields, opensProduction } from './erp-values.ts';

/** The fields of a connection to Odoo. */

const choices = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

/** Where the server is, and as whom it is used. */
export function ServerFields({
  fields,
  erpVersion,
}: {
  fields: Fields;
  /** That of the project. */
  erpVersion: string;
}): ReactNode {
  const [found, setFound] = useState<Found>();
  return (
    <>
      <TextField
        name="name"
        label="Name"
        defaultValue={fields.name}
        dir="auto"
        autoComplete="off"
        required
        hint="What people call it in this project, such as “Staging”."
      />
      <TextField
        name="url"
        label="Address"
        type="url"
        defaultValue={fields.url}
        autoComplete="off"
        required
        placeholder="https://erp.example.com"
        // What another server has said does not count for this one.
        onChange={({ target: { form } }) => {
          if (form !== null) setFound(found && { typed: databaseIn(new FormData(form)) });
        }}
      />
      <CheckAddress
        erpVersion={erpVersion}
        probe={found?.probe}
        onProbe={(probe, form) => setFound({ probe, typed: databaseIn(form) })}
      />
      <DatabaseField stored={fields.database} found={found} />
      <TextField
        name="login"
        label="Login"
        defaultValue={fields.login}
        autoComplete="off"
        hint="The user in Odoo. An API key of Odoo 19 needs none."
      />
      <SelectField
        name="kind"
        label="Kind of secret"
        defaultValue={fields.kind}
        options={choices(KINDS)}
        hint="An API key can be withdrawn, and works with two factors."
      />
    </>
  );
}

interface Found {
  probe?: Probe;
  /** The database that stood in the form then. */
  typed: string;
}

const databaseIn = (form: FormData): string => String(form.get('database') ?? '');

/** A name to enter, or to choose where the server lists them. */
function DatabaseField({ stored, found }: { stored: string; found: Found | undefined }): ReactNode {
  const listed = found?.probe?.databases ?? [];
  if (found === undefined || listed.length === 0)
    return (
      <TextField
        name="database"
        label="Database"
        defaultValue={found?.typed ?? stored}
        autoComplete="off"
        hint="Needed where the server has several."
      />
    );
  const [only, ...others] = listed;
  const typed = found.typed.trim() || (others.length === 0 ? (only ?? '') : '');
  const names = typed === '' || listed.includes(typed) ? listed : [typed, ...listed];
  return (
    <SelectField
      name="database"
      label="Database"
      defaultValue={typed}
      options={[
        { value: '', label: 'None named' },
        ...names.map((name) => ({ value: name, label: name })),
      ]}
      hint="Those that the server lists."
    />
  );
}

/** The secret, which is only ever sent. It has no value that React would write into the page. */
export function SecretField({
  stored,
}: {
  stored?: Pick<Connection, 'has_secret' | 'kind'>;
}): ReactNode {
  const has = stored?.has_secret === true;
  const [removed, setRemoved] = useState(false);
  return (
    <>
      <TextField
        name="secret"
        label="Secret"
        type="password"
        autoComplete="new-password"
        spellCheck="false"
        disabled={removed}
        placeholder={has ? 'Stored; leave empty to keep' : ''}
        hint={
          has
            ? 'It is stored encrypted and never shown. A new address or kind needs it again.'
            : 'It is stored encrypted and never shown. Without it, agents cannot use the connection.'
        }
      />
      {has && (
        <CheckField
          name="remove_secret"
          label="Remove the stored secret"
          hint="Agents cannot use the connection any more. Withdraw the secret in Odoo, too."
          onChange={(event) => setRemoved(event.target.checked)}
        />
      )}
    </>
  );
}

/** What the server is for, and what agents may do there. */
export function UseFields({
  fields,
  before,
  onUnsure,
}: {
  fields: Fields;
  /** How the connection is saved. */
  before?: Fields;
  /** Whether a confirmation is missing. */
  onUnsure: (unsure: boolean) => void;
}): ReactNode {
  const [use, setUse] = useState(fields);
  const [confirmed, setConfirmed] = useState(false);
  const asks = opensProduction(before, use);
  const unsure = asks && !confirmed;
  // Before the page is drawn: the form cannot be sent for a moment in between.
  useLayoutEffect(() => onUnsure(unsure), [onUnsure, unsure]);
  return (
    <>
      <SelectField
        name="environment"
        label="Environment"
        defaultValue={fields.environment}
        options={choices(ENVIRONMENTS)}
        onChange={(value) => setUse((use) => ({ ...use, environment: value }))}
      />
      <SelectField
        name="agent_access"
        label="What agents may do"
        defaultValue={fields.agent_access}
        options={choices(ACCESS_CHOICES)}
        onChange={(value) => setUse((use) => ({ ...use, agent_access: value }))}
        hint="Where a person has activated it. The rights of the login hold besides."
      />
      {asks && (
        <CheckField
          name="confirmed"
          label="Agents may change the production database"
          hint="In tasks where it is active, an agent can then create, change and delete records of the running business, without asking first."
          checked={confirmed}
          onChange={(event) => setConfirmed(event.target.checked)}
        />
      )}
      <TextField
        name="agent_exceptions"
        label="Exceptions"
        defaultValue={fields.agent_exceptions}
        autoComplete="off"
        spellCheck="false"
        placeholder="ir.mail_server res.partner/signup_token"
        hint="Agents see no passwords, keys, rights and code, except in these models and fields. Another address, and production, empty them unless you enter others at the same time."
      />
      <TextField
        name="secret_expires_at"
        label="The secret expires on"
        type="date"
        defaultValue={fields.secret_expires_at}
        hint="A day in UTC. Odoo 18 and later say it themselves; admins are warned 14 days before."
      />
    </>
  );
}
