import type { GuildhallError } from '@guildhall/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { sendFile } from './send-file.ts';

/** A file that is on its way to the server, or there. */
export interface Upload {
  key: number;
  name: string;
  /** What has been sent, of 1. */
  sent: number;
  /** Its id as an attachment, once the server has it. */
  id?: string;
  /** Why the server does not have it, in a sentence. */
  error?: string;
}

export interface Uploads {
  list: readonly Upload[];
  /** Those that the server has. */
  ids: readonly string[];
  /** Whether some are on their way. */
  busy: boolean;
  add: (files: Iterable<File>) => void;
  remove: (key: number) => void;
  /** After the message that they belong to was sent. */
  clear: () => void;
}

/** What a message takes. */
const MOST_FILES = 20;
const MOST_MIB = 25;

interface Running {
  file: File;
  request?: XMLHttpRequest;
}

/**
 * Files that go to `path`, each with its progress. With another path, such as that of another project, all of them are sent again, there. `discard` deletes one that the server
 * has, and that the person has taken away again.
 */
export function useUploads(
  path: string | undefined,
  discard?: (id: string) => Promise<unknown>,
): Uploads {
  const [list, setList] = useState<readonly Upload[]>([]);
  const running = useRef(new Map<number, Running>());
  const next = useRef(0);
  const change = useCallback((key: number, to: Partial<Upload>) => {
    setList((all) => all.map((upload) => (upload.key === key ? { ...upload, ...to } : upload)));
  }, []);
  const send = useCallback(
    (key: number, file: File, to: string) => {
      if (file.size > MOST_MIB * 1024 ** 2)
        return change(key, { error: `It is larger than ${MOST_MIB} MiB.` });
      const request = new XMLHttpRequest();
      running.current.set(key, { file, request });
      sendFile(request, {
        method: 'POST',
        path: `${to}?filename=${encodeURIComponent(nameOf(file))}`,
        type: 'application/octet-stream',
        file,
        onProgress: (sent) => change(key, { sent }),
      }).then(
        ({ id }) => change(key, { id: String(id), sent: 1 }),
        (error: GuildhallError) => change(key, { error: saidBy(error) }),
      );
    },
    [change],
  );
  const add = useCallback(
    (files: Iterable<File>) => {
      if (path === undefined) return;
      for (const file of files) {
        const key = next.current++;
        const full = running.current.size >= MOST_FILES;
        const error = full ? { error: `A message takes ${MOST_FILES} files.` } : {};
        setList((all) => [...all, { key, name: nameOf(file), sent: 0, ...error }]);
        if (!full) send(key, file, path);
      }
    },
    [path, send],
  );
  const remove = (key: number) => {
    running.current.get(key)?.request?.abort();
    running.current.delete(key);
    setList((all) => all.filter((upload) => upload.key !== key));
    const id = list.find((upload) => upload.key === key)?.id;
    // One that stays is a file of the task that no message names.
    if (id !== undefined) void discard?.(id).catch(() => {});
  };
  const clear = useCallback(() => {
    running.current.clear();
    setList([]);
  }, []);
  const sentTo = useRef(path);
  useEffect(() => {
    if (path === undefined || sentTo.current === path) return;
    sentTo.current = path;
    for (const [key, { file, request }] of running.current) {
      request?.abort();
      setList((all) =>
        all.map((upload) => (upload.key === key ? { key, name: upload.name, sent: 0 } : upload)),
      );
      send(key, file, path);
    }
  }, [path, send]);
  return {
    list,
    ids: list.flatMap(({ id }) => id ?? []),
    busy: list.some(({ id, error }) => id === undefined && error === undefined),
    add,
    remove,
    clear,
  };
}

/** A pasted picture may have no name. */
const nameOf = ({ name }: File): string => (name === '' ? 'pasted' : name);

/** What the API says of a refusal: a sentence, or what is wrong with each field. */
const saidBy = ({ detail, fields }: GuildhallError): string =>
  fields.length === 0
    ? detail
    : fields.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
