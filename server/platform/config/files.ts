import type { S3Place } from '../files/s3-store.ts';
import type { Reader } from './readers.ts';

export const s3Place: Reader<S3Place> = {
  parse: parseS3Place,
  mustBe:
    'an address such as s3://bucket/folder?region=eu-central-1, with endpoint=https://… for a ' +
    'store other than Amazon’s and no login: credentials are found where Amazon’s programs look',
  // It may contain a login.
  secret: true,
};

const BUCKET = /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/;
const PREFIX = /^([\w.-]+\/)*$/;

function parseS3Place(text: string): S3Place | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 's3:' || url.username || url.password || url.port || url.hash)
    return undefined;
  const prefix = `${url.pathname.replace(/^\/|\/$/g, '')}/`.replace(/^\/$/, '');
  if (!BUCKET.test(url.hostname) || !PREFIX.test(prefix)) return undefined;
  if (prefix.split('/').some((part) => part === '.' || part === '..')) return undefined;
  const { endpoint, region = 'us-east-1', ...others } = Object.fromEntries(url.searchParams);
  if (Object.keys(others).length > 0 || !/^[a-z\d-]{1,50}$/.test(region)) return undefined;
  if (endpoint !== undefined && !isWebAddress(endpoint)) return undefined;
  return { bucket: url.hostname, prefix, endpoint, region };
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}
