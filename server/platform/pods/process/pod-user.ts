/** The folders of a pod. */
export interface PodFolders {
  root: string;
  workTree: string;
  home: string;
  temporary: string;
}

export type PodUser = { uid: number; gid: number };
