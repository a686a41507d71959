import { openDatabase } from '../../db/database/database.ts';
import { sealedConnections } from '../../erp/sealed-secrets.ts';
import { sealedFactors } from '../../identity/sign-in/sealed-factors.ts';
import { readConfig } from '../../platform/config/config.ts';
import { rotate } from '../../platform/sealing/rotate.ts';
import { sealedVariables } from '../../platform/variables/sealed-variables.ts';

// A process that replaces the secret of the servers, one row at a time, until it is killed.

const [url = '', current = '', previous = ''] = process.argv.slice(2);
const db = openDatabase({ url, ...readConfig({}).database });
await rotate(db, { current, previous }, [sealedFactors, sealedConnections, sealedVariables], 1);
await db.close();
