import { readConfig } from '../config.ts';
import { openDatabase } from '../db/database/database.ts';
import { sealedConnections } from '../erp/sealed-secrets.ts';
import { rotate } from '../sealing/rotate.ts';
import { sealedFactors } from '../sign-in/sealed-factors.ts';

// A process that replaces the secret of the servers, one row at a time, until it is killed.

const [url = '', current = '', previous = ''] = process.argv.slice(2);
const db = openDatabase({ url, ...readConfig({}).database });
await rotate(db, { current, previous }, [sealedFactors, sealedConnections], 1);
await db.close();
