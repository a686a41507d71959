import { sealedGiteaTokens, sealedGiteaWebhooks } from '../code/gitea/sealed-tokens.ts';
import { sealedImports } from '../code/imports/sealed-imports.ts';
import { sealedConnections } from '../erp/sealed-secrets.ts';
import {
  sealedPushKey,
  sealedPushSubscriptions,
} from '../identity/notifications/push/sealed-push.ts';
import { sealedFactors } from '../identity/sign-in/sealed-factors.ts';
import type { SealedValues } from '../platform/sealing/rotate.ts';
import { sealedVariables } from '../platform/variables/sealed-variables.ts';
import { sealedEndpoints } from '../platform/webhooks/sealed-endpoints.ts';

/** Everything that the secret of the servers seals in the database. */
export const SEALED_VALUES: readonly SealedValues[] = [
  sealedFactors,
  sealedConnections,
  sealedVariables,
  sealedImports,
  sealedEndpoints,
  sealedPushKey,
  sealedPushSubscriptions,
  sealedGiteaTokens,
  sealedGiteaWebhooks,
];
