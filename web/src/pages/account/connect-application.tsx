import { GuildhallError } from '@guildhall/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { auth } from '../../data/api.ts';
import { useUser } from '../../data/session.ts';
import { Loading } from '../../shell/loading.tsx';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Form, SelectField } from '../../ui/form.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';

const TITLE = 'Connect an application';

/** Where an application sends a person who is to let it in, by `/oauth/authorize`. */
export function Connect(): ReactNode {
  const user = useUser();
  const request = new URLSearchParams(location.search).get('request') ?? 'q-';
  const [answered, setAnswered] = useState(false);
  const asked = useQuery({
    queryKey: ['application-request', request],
    queryFn: ({ signal }) => auth.get('/auth/application-request', { request }, { signal }),
    retry: false,
  });
  if (asked.error)
    return (
      <Page title={TITLE}>
        <Failure
          error={asked.error}
          says={
            isMangled(asked.error)
              ? 'This address is not whole: begin again in the application.'
              : undefined
          }
          retry={() => void asked.refetch()}
        />
      </Page>
    );
  if (asked.data === undefined) return <Loading />;
  const { name, place, registered_at, write, refused_to } = asked.data;
  const goOn = (to: string) => {
    setAnswered(true);
    location.assign(to);
  };
  if (answered)
    return (
      <Page title={TITLE}>
        <p className="max-w-prose">
          Go on in the application. You can close this page; what you have connected is under
          Account, Connections.
        </p>
      </Page>
    );
  return (
    <Page title={TITLE}>
      <p className="max-w-prose">
        <strong dir="auto">{name}</strong> wants to use Guildhall as you, {user.email}, through the
        Model Context Protocol.
      </p>
      <dl className="grid max-w-prose grid-cols-[auto_1fr] gap-x-6 gap-y-1">
        <dt className="text-muted">Sends you on to</dt>
        <dd className="break-all">{place}</dd>
        <dt className="text-muted">Registered</dt>
        <dd>
          <Time at={registered_at} />
        </dd>
        <dt className="text-muted">Lasts</dt>
        <dd>until you remove it, set a new password, or do not use it for 30 days</dd>
      </dl>
      <p className="max-w-prose text-muted">
        The application has chosen its name itself, and nobody has checked it. Allow it only if you
        have just begun to connect it, and know where you are sent.
      </p>
      <div className="max-w-prose">
        <Form
          submit="Allow"
          onSubmit={async ({ may }) => {
            const { return_to } = await auth.post('/auth/application-request', {
              body: { request, read_only: may !== 'write' },
            });
            goOn(return_to);
          }}
        >
          <SelectField
            name="may"
            label="It may"
            options={[
              { value: 'read', label: 'Only read: tasks, plans, changes, people, balances' },
              ...(write
                ? [
                    {
                      value: 'write',
                      label:
                        'Do all that its tools offer and you may: also begin, approve and merge',
                    },
                  ]
                : []),
            ]}
          />
        </Form>
      </div>
      <div>
        <Button onClick={() => goOn(refused_to)}>Refuse</Button>
      </div>
    </Page>
  );
}

const isMangled = (error: unknown): boolean =>
  error instanceof GuildhallError && error.fields.length > 0;
