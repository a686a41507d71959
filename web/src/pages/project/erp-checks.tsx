import type { components } from '@guildhall/client';
import { type MouseEvent, type ReactNode, useState } from 'react';
import { guildhall } from '../../data/api.ts';
import { ASKING, type Connection, versionOf } from '../../data/erp.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Refusal } from '../../ui/notice.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { typedIn } from './erp-values.ts';

/** What a server answers before anything is saved. */

export type Probe = components['schemas']['OdooProbe'];

/** Asks whether an Odoo answers at the address that is in the form. */
export function CheckAddress({
  erpVersion,
  probe,
  onProbe,
}: {
  /** That of the project. */
  erpVersion: string;
  probe: Probe | undefined;
  onProbe: (probe: Probe, form: FormData) => void;
}): ReactNode {
  return (
    <Check
      label="Check address"
      ask={async (form) => {
        const { url } = typedIn(Object.fromEntries(form) as Record<string, string>);
        if (url === '') return 'Enter the address first.';
        const call = { body: { url } };
        onProbe(await guildhall.post('/api/odoo-connections/probe-url', call, ASKING), form);
      }}
    >
      {probe && (
        <Answer probe={probe} works="Odoo answers">
          <Facts probe={probe} erpVersion={erpVersion} />
        </Answer>
      )}
    </Check>
  );
}

/** Asks whether the login that is in the form works; the secret is sent and not kept. */
export function CheckLogin({
  erpVersion,
  stored,
}: {
  erpVersion: string;
  /** Whether the connection has a secret already. */
  stored: boolean;
}): ReactNode {
  const [checked, setChecked] = useState<{ probe: Probe; whose: string }>();
  async function ask(form: FormData): Promise<string | undefined> {
    const { url, database, login, kind } = typedIn(
      Object.fromEntries(form) as Record<string, string>,
    );
    const secret = form.get('secret');
    if (url === '') return 'Enter the address first.';
    if (typeof secret !== 'string' || secret === '')
      return stored
        ? 'Enter the secret to check it here. The stored one can be checked in the list.'
        : 'Enter the secret first.';
    setChecked(undefined);
    const body = {
      url,
      secret,
      kind: kind as Connection['kind'],
      ...(database !== '' && { database }),
      ...(login !== '' && { login }),
    };
    const probe = await guildhall.post('/api/odoo-connections/probe-login', { body }, ASKING);
    setChecked({ probe, whose: login === '' ? 'The user of the key' : login });
    return undefined;
  }
  return (
    <Check label="Check login" ask={ask}>
      {checked && (
        <Answer probe={checked.probe} works="The login works">
          {checked.probe.login_ok && (
            <p>
              {checked.whose} {RIGHTS[checked.probe.access]}
            </p>
          )}
          <Facts probe={checked.probe} erpVersion={erpVersion} />
        </Answer>
      )}
    </Check>
  );
}

/** What a user may do there. */
const RIGHTS: Record<Probe['access'], string> = {
  admin: 'administers the server. A user who may do only what tasks need is safer.',
  write: 'may change records.',
  read: 'may read, and change little or nothing.',
  none: 'may do nothing.',
};

/** A button that asks; `ask` returns what is missing in the form. */
function Check({
  label,
  ask,
  children,
}: {
  label: string;
  ask: (form: FormData) => Promise<string | undefined>;
  children: ReactNode;
}): ReactNode {
  const [busy, setBusy] = useState(false);
  const [missing, setMissing] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  async function check({ currentTarget: { form } }: MouseEvent<HTMLButtonElement>): Promise<void> {
    if (form === null) return;
    setBusy(true);
    setFailure(undefined);
    try {
      setMissing(await ask(new FormData(form)));
    } catch (error) {
      setMissing(undefined);
      setFailure(error);
    } finally {
      setBusy(false);
    }
  }
  return (
    <div className="flex flex-col items-start gap-2">
      <Button busy={busy} onClick={(event) => void check(event)}>
        {label}
      </Button>
      {missing !== undefined && <Refusal>{missing}</Refusal>}
      {failure !== undefined && <Failure error={failure} />}
      <div role="status">{children}</div>
    </div>
  );
}

function Answer({
  probe: { code, message },
  works,
  children,
}: {
  probe: Probe;
  works: string;
  children: ReactNode;
}): ReactNode {
  return (
    <div className="flex flex-col items-start gap-1 text-xs">
      <Status state={code === undefined ? 'done' : 'wrong'}>
        {code === undefined ? works : 'This does not work'}
      </Status>
      {message !== `${works}.` && <p>{message}</p>}
      {children}
    </div>
  );
}

/** What else the server said. */
function Facts({
  probe: { server_version, edition, databases, expires_at, latency_ms },
  erpVersion,
}: {
  probe: Probe;
  erpVersion: string;
}): ReactNode {
  if (server_version === undefined) return null;
  const count = databases?.length ?? 0;
  return (
    <>
      <p className="text-muted">
        {versionOf({ erp_version: server_version, edition })}
        {count > 0 && ` · ${count === 1 ? 'one database' : `${count} databases`}`}
        {latency_ms !== undefined && ` · ${latency_ms} ms`}
        {expires_at !== undefined && (
          <>
            {' · the key expires '}
            <Time at={expires_at} />
          </>
        )}
      </p>
      {server_version !== erpVersion && (
        <p className="text-waiting">The project is built for Odoo {erpVersion}.</p>
      )}
    </>
  );
}
