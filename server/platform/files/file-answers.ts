import type { Route } from '../../http/route.ts';

const mediaType = '*/*';

/** What the download of a file answers. */
export const FILE_ANSWERS: Route['responses'] = {
  200: { description: 'The file.', mediaType, headers: ['ETag'] },
  206: { description: 'The requested range of it.', mediaType, headers: ['ETag'] },
  304: { description: 'The caller has it: If-None-Match names its ETag.', headers: ['ETag'] },
};

export const FILE_HEADERS = {
  Range: 'One range of bytes, such as `bytes=0-1023`.',
  'If-Range': 'The ETag of the file of which the caller has a part; otherwise all of it is sent.',
  'If-None-Match': 'The ETag of the file that the caller has.',
};
