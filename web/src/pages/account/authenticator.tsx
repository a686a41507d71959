import { type ReactNode, Suspense, useState } from 'react';
import { refreshAccount } from '../../data/account.ts';
import { auth } from '../../data/api.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyText } from '../../ui/copy-id.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, TextField } from '../../ui/form.tsx';
import { lazily } from '../../ui/lazily.ts';
import { Section } from '../../ui/page.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

const QrCode = lazily(async () => (await import('./qr-code.tsx')).default);

type Step =
  | { name: 'confirm'; secret: string; url: string }
  | { name: 'codes'; codes: readonly string[] }
  | { name: 'renew' | 'remove' };

/** The authenticator app as a second factor, and its recovery codes. */
export function Authenticator({
  enabled,
  codesLeft,
}: {
  enabled: boolean;
  codesLeft: number;
}): ReactNode {
  const [step, setStep] = useState<Step>();
  const [refusal, setRefusal] = useState<unknown>();
  const close = () => setStep(undefined);
  const begin = async () => {
    setRefusal(undefined);
    await auth
      .post('/auth/totp')
      .then((begun) => setStep({ name: 'confirm', ...begun }))
      .catch(setRefusal);
  };
  return (
    <Section title="Authenticator app">
      <p className="max-w-prose text-muted">
        {enabled
          ? `On: each sign-in asks for a code. You have ${codesLeft} recovery ${codesLeft === 1 ? 'code' : 'codes'} left, for when you have lost the app.`
          : 'Off. An app on your phone shows codes, which each sign-in asks for besides the password.'}
      </p>
      {refusal !== undefined && <Failure error={refusal} />}
      <div className="flex flex-wrap gap-2">
        {enabled ? (
          <>
            <Button onClick={() => setStep({ name: 'renew' })}>New recovery codes</Button>
            <Button onClick={() => setStep({ name: 'remove' })}>Remove the app</Button>
          </>
        ) : (
          <Button onClick={() => void begin()}>Set up an app</Button>
        )}
      </div>
      {step?.name === 'confirm' && (
        <FirstCode
          {...step}
          onClose={close}
          onCodes={(codes) => setStep({ name: 'codes', codes })}
        />
      )}
      {step?.name === 'renew' && (
        <Dialog title="New recovery codes?" onClose={close}>
          <p>The ones that you have now stop working.</p>
          <Form
            submit="Make new codes"
            onCancel={close}
            onSubmit={async () => {
              const { recovery_codes } = await auth.post('/auth/recovery-codes');
              setStep({ name: 'codes', codes: recovery_codes });
              await refreshAccount();
            }}
          />
        </Dialog>
      )}
      {step?.name === 'codes' && <RecoveryCodes codes={step.codes} onClose={close} />}
      {step?.name === 'remove' && <Remove onClose={close} />}
    </Section>
  );
}

function FirstCode({
  secret,
  url,
  onClose,
  onCodes,
}: {
  secret: string;
  url: string;
  onClose: () => void;
  onCodes: (codes: readonly string[]) => void;
}): ReactNode {
  return (
    <Dialog title="Set up an app" onClose={onClose}>
      <p>
        Scan this code with your authenticator app, or type the secret below it. If the app is on
        this device,{' '}
        <a href={url} className="text-link underline">
          open it there
        </a>
        .
      </p>
      <div className="flex justify-center">
        <Suspense fallback={<div className="size-48 rounded-box bg-raised" />}>
          <QrCode text={url} label="QR code that has the secret below" />
        </Suspense>
      </div>
      <div className="rounded-box bg-raised p-3">
        <CopyText text={secret} label="Copy the secret" />
      </div>
      <Form
        submit="Confirm"
        onCancel={onClose}
        onSubmit={async ({ code = '' }) => {
          const { recovery_codes } = await auth.post('/auth/totp/confirm', {
            body: { code: code.trim() },
          });
          onCodes(recovery_codes);
          await refreshAccount();
        }}
      >
        <TextField
          name="code"
          label="Code that the app shows"
          autoComplete="one-time-code"
          inputMode="numeric"
          required
        />
      </Form>
    </Dialog>
  );
}

function Remove({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Confirm
      title="Remove the authenticator app?"
      submit="Remove the app"
      act={async () => {
        await auth.delete('/auth/totp');
        await refreshAccount();
      }}
      onClose={onClose}
    >
      <p>
        Sign-ins ask for no code any more. Without another second factor, workspaces that require
        one are closed to you until you set one up again, and your recovery codes are gone.
      </p>
    </Confirm>
  );
}
