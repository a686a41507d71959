import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { factorsQuery } from '../../data/account.ts';
import { browserHasPasskeys } from '../../data/passkeys.ts';
import { sessionQuery } from '../../data/session.ts';
import { Failure } from '../../ui/failure.tsx';
import { insteadOf } from '../../ui/instead.ts';
import { Authenticator } from './authenticator.tsx';
import { Passkeys } from './passkeys.tsx';
import { Password } from './password.tsx';

/** How the person signs in. */
export function Security(): ReactNode {
  const session = useQuery(sessionQuery);
  const factors = useQuery(factorsQuery);
  if (insteadOf(factors))
    return <Failure error={factors.error} retry={() => void factors.refetch()} />;
  if (factors.data === undefined) return null;
  const { totp, recovery_codes_left, passkeys } = factors.data;
  const offered = session.data?.sign_in.passkeys ?? false;
  return (
    <>
      <Password missing={session.data?.missing} />
      <Authenticator enabled={totp} codesLeft={recovery_codes_left} />
      <Passkeys passkeys={passkeys} offered={offered && browserHasPasskeys()} />
    </>
  );
}
